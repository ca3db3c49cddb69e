"""One client of the control socket: its token bucket, newest-wins live state, bounded answers, deadlines."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from rltui.events import commands
from rltui.events.commands import CommandRefused, Hello, Live, Pause, Request
from rltui.supervise.sockets import FrameReader, pack
from rltui.train.control.client_session import ClientSession, Limits, TokenBucket
from tests.fakes.small_trainer import live


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_rate_nothing_for_who_keeps_trying_and_never_more_than_the_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=3, clock=clock)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.now += 0.19
    assert not bucket.take()
    clock.now += 0.21
    assert bucket.take()
    assert not bucket.take()

    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=2, clock=clock)
    taken = 0
    for _ in range(1000):
        clock.now += 0.01
        taken += bucket.take()
    assert taken == 2

    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=2, clock=clock)
    clock.now += 1e6
    assert [bucket.take() for _ in range(3)] == [True, True, False]


LIMITS = Limits(frame=4096, outbox=4096)


class Pair:
    def __init__(self) -> None:
        self.now = 50.0
        ours, self.theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.theirs.settimeout(1.0)
        self.session = ClientSession(ours, LIMITS, lambda: self.now)
        self.reader = FrameReader()

    def heard(self) -> list[commands.ServerMessage]:
        """What has arrived at the client; flushes as the loop would until nothing more comes."""
        messages: list[commands.ServerMessage] = []
        self.theirs.setblocking(False)
        while True:
            self.session.flush(["ada"])
            try:
                data = self.theirs.recv(1 << 20)
            except BlockingIOError:
                return messages
            messages += [commands.decode_from_server(payload) for payload in self.reader.feed(data)]


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    yield made
    made.session.socket.close()
    made.theirs.close()


def numbered(iteration: int) -> Live:
    import msgspec

    return msgspec.structs.replace(live("collecting", workers=8), iteration=iteration)


def test_a_client_that_does_not_read_costs_one_live_state_and_knows_how_many_it_missed(pair: Pair) -> None:
    for iteration in range(1000):
        pair.session.offer(numbered(iteration))
        pair.session.flush(["ada"])
    states = [message for message in pair.heard() if isinstance(message, Live)]
    assert states[-1].iteration == 999
    assert states[-1].clients == ["ada"]
    assert states[-1].dropped == 1000 - len(states)
    assert len(states) < 20
    assert not pair.session.over


def test_answers_come_before_live_state_and_none_is_lost(pair: Pair) -> None:
    pair.session.offer(numbered(1))
    for number in range(5):
        pair.session.answer(CommandRefused(number, "no"))
    heard = pair.heard()
    assert [message.id for message in heard if isinstance(message, CommandRefused)] == [0, 1, 2, 3, 4]
    assert isinstance(heard[-1], Live)


def test_too_many_unread_answers_are_a_fault(pair: Pair) -> None:
    for number in range(1000):
        pair.session.answer(CommandRefused(number, "no"))
        if pair.session.fault is None:
            pair.session.flush([])
    assert pair.session.fault is not None
    assert pair.session.fault.kind == "unread"


def test_silence_before_the_introduction_ends_at_its_deadline(pair: Pair) -> None:
    pair.now += LIMITS.hello_seconds - 0.01
    pair.session.check_deadline()
    assert not pair.session.over
    pair.now += 0.02
    pair.session.check_deadline()
    assert pair.session.fault is not None
    assert pair.session.fault.kind == "late"


def test_a_frame_left_unfinished_ends_at_its_deadline_and_a_finished_one_does_not(pair: Pair) -> None:
    pair.session.hello = Hello("ada")
    assert pair.session.deadline is None
    frame = pack(commands.encode(Request(1, Pause())))
    pair.theirs.sendall(frame[:6])
    assert pair.session.read() == []
    assert pair.session.deadline == pair.now + LIMITS.frame_seconds
    pair.theirs.sendall(frame[6:])
    assert pair.session.read() == [Request(1, Pause())]
    assert pair.session.deadline is None
    pair.theirs.sendall(frame[:6])
    pair.session.read()
    pair.now += LIMITS.frame_seconds
    pair.session.check_deadline()
    assert pair.session.fault is not None


def test_dripping_bytes_does_not_move_the_deadline(pair: Pair) -> None:
    pair.session.hello = Hello("ada")
    frame = pack(b" " * 1000)
    began = pair.now
    for byte in frame[:20]:
        pair.theirs.sendall(bytes([byte]))
        pair.session.read()
        pair.now += 0.2
    assert pair.session.deadline == began + LIMITS.frame_seconds


def test_a_client_that_hangs_up_is_gone_without_a_fault(pair: Pair) -> None:
    pair.theirs.close()
    assert pair.session.read() == []
    assert pair.session.gone
    assert pair.session.fault is None
