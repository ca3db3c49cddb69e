"""Whatever a client sends, its session gives commands or is over; it never raises, and never holds more than one frame."""

from __future__ import annotations

import json
import socket
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events import commands
from rltui.events.commands import ClientMessage, Hello, Pause, Request, SetFlag, Stop
from rltui.supervise.sockets import pack
from rltui.train.control.clients import ClientSession, Limits

LIMITS = Limits(frame=2048)
VALID = [Hello("eve"), Request(1, Pause()), Request(2, Stop("now")), Request(3, SetFlag("debug_actions", True, 1))]

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A command with a few bytes changed, lost or doubled."""
    content = bytearray(commands.encode(draw(st.sampled_from(VALID))))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content) - 1))
        content[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
        content = content or bytearray(b"x")
    return bytes(content)


@st.composite
def foreign(draw: st.DrawFn) -> bytes:
    """A command with a value of another kind somewhere in it."""
    message = json.loads(commands.encode(draw(st.sampled_from(VALID))))
    place = message["command"] if "command" in message and draw(st.booleans()) else message
    place[draw(st.sampled_from([*place, "more"]))] = draw(trees)
    return json.dumps(message).encode()


framed = st.one_of(
    st.binary(min_size=1, max_size=200), damaged(), foreign(), trees.map(lambda tree: json.dumps(tree).encode())
)
pieces = framed.map(pack) | st.binary(min_size=1, max_size=300)


def survive(sent: list[bytes], cut: int) -> None:
    server, client = socket.socketpair()
    with server, client:
        session = ClientSession(server, LIMITS)
        stream = b"".join(sent)
        for part in (stream[:cut], stream[cut:]):
            client.sendall(part)
            for _ in range(2 + len(part) // LIMITS.piece):
                for message in session.read() if not session.over else ():
                    assert isinstance(message, get_args(ClientMessage))
                assert len(session._reader._buffer) <= LIMITS.frame + LIMITS.piece or session.over
        if session.fault is not None:
            assert session.fault.kind in ("length", "garbage")
            assert len(session.fault.detail) < 3 * LIMITS.frame


@settings(max_examples=200, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=5), st.integers(0, 400))
def test_no_frame_does_harm(sent: list[bytes], cut: int) -> None:
    survive(sent, cut)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=5), st.integers(0, 400))
def test_ten_thousand_streams_of_frames_do_no_harm(sent: list[bytes], cut: int) -> None:
    survive(sent, cut)
