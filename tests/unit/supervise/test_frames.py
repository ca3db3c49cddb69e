"""Frames survive any cutting into pieces, and nothing that is not a frame is waited for."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events.commands import MAX_FRAME
from rltui.supervise.sockets import FrameError, FrameReader, pack


@settings(max_examples=60)
@given(st.lists(st.binary(min_size=1, max_size=300), max_size=6), st.lists(st.integers(0, 1500), max_size=8))
def test_any_cutting_gives_the_same_payloads(payloads: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pack(payload) for payload in payloads)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = FrameReader()
    found = [payload for start, end in pairwise(edges) for payload in reader.feed(stream[start:end])]
    assert found == payloads
    assert not reader.half


def test_a_half_frame_is_known_as_such() -> None:
    reader = FrameReader()
    assert reader.feed(pack(b"abc")[:5]) == []
    assert reader.half
    assert reader.feed(b"bc") == [b"abc"]
    assert not reader.half


@pytest.mark.parametrize("length", [0, 65, 2**31, 2**32 - 1])
def test_a_wrong_length_is_refused_by_its_header_alone(length: int) -> None:
    with pytest.raises(FrameError, match=str(length)):
        FrameReader(cap=64).feed(struct.pack(">I", length))


def test_the_cap_itself_is_allowed() -> None:
    assert FrameReader(cap=64).feed(pack(b"x" * 64)) == [b"x" * 64]


@pytest.mark.parametrize("size", [0, MAX_FRAME + 1])
def test_what_no_reader_would_take_is_not_packed(size: int) -> None:
    with pytest.raises(ValueError, match="bytes"):
        pack(b"x" * size)
