"""Clients of the control socket: token bucket, newest-wins live state, bounded answers, deadlines; who holds control; what is answered."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from rltui.events import commands
from rltui.events.commands import (
    ClientMessage,
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Hello,
    Live,
    Pause,
    Request,
    Stop,
    TakeControl,
    Welcome,
)
from rltui.events.records import CommandLogged, LogLine
from rltui.supervise.sockets import FrameReader, pack
from rltui.train.control.clients import ClientSession, CommandRouter, ControlHolder, Limits, TokenBucket
from rltui.train.control.commands import CommandQueue, PendingCommand
from tests.fakes import run_story


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

    return run_story.live(1.0, iteration=iteration, states=("collecting",) * 8)


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


@dataclass(eq=False)
class Somebody:
    name: str
    readonly: bool = False
    one_shot: bool = False


def test_the_first_that_may_holds_control_and_others_are_refused_by_its_name() -> None:
    control = ControlHolder()
    watcher, first, second = Somebody("watcher", readonly=True), Somebody("first"), Somebody("second")
    for person in (watcher, first, second):
        control.join(person)
    assert control.holder is first
    control.leave(first)
    assert control.holder is second
    control.leave(second)
    assert control.holder is None

    control = ControlHolder()
    first, second = Somebody("first"), Somebody("second")
    control.join(first)
    control.join(second)
    assert control.refusal(first, Pause()) is None
    assert "first holds control" in (control.refusal(second, Pause()) or "")
    assert "first holds control" in (control.refusal(second, Stop()) or "")

    control = ControlHolder()
    first, second = Somebody("first"), Somebody("second")
    control.join(first)
    control.join(second)
    assert "O in the cockpit takes it" in (control.refusal(second, Pause()) or "")


def test_readonly_and_one_shot_clients_never_hold_control_and_the_latter_may_stop() -> None:
    control = ControlHolder()
    watcher = Somebody("watcher", readonly=True, one_shot=True)
    control.join(watcher)
    assert "read-only" in (control.refusal(watcher, Stop()) or "")

    control = ControlHolder()
    stopper, viewer = Somebody("stopper", one_shot=True), Somebody("viewer")
    control.join(stopper)
    assert control.holder is None
    assert control.refusal(stopper, Pause()) is None
    control.join(viewer)
    assert control.holder is viewer
    assert control.refusal(stopper, Stop("now")) is None
    assert "viewer holds control" in (control.refusal(stopper, Pause()) or "")

    control = ControlHolder()
    assert "read-only" in (control.refusal(Somebody("watcher", readonly=True), TakeControl()) or "")
    assert "errand" in (control.refusal(Somebody("stopper", one_shot=True), TakeControl()) or "")


def test_control_is_taken_at_once_and_the_former_holder_is_next_in_line() -> None:
    control = ControlHolder()
    first, second, third = Somebody("first"), Somebody("second"), Somebody("third")
    for person in (first, second, third):
        control.join(person)
    assert control.refusal(third, TakeControl()) is None
    assert control.take(third) is first
    assert control.holder is third
    assert "third holds control" in (control.refusal(first, Pause()) or "")
    control.leave(third)
    assert control.holder is first
    control.leave(first)
    assert control.holder is second


FEW = Limits(burst=100, waiting=3)


class Office:
    """A router, one client, and all that they send."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.queue = CommandQueue()
        self.log: list[CommandLogged | LogLine] = []
        self.router = CommandRouter("alpha", FEW, self.queue, self.settle, self.log.append, lambda: 5.0)
        self.session = ClientSession(ours, FEW)

    def settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        self.router.settle(pending, outcome)

    def say(self, message: ClientMessage) -> list[commands.ServerMessage]:
        """What the client hears in answer."""
        self.router.receive(self.session, message)
        return self.heard()

    def heard(self) -> list[commands.ServerMessage]:
        self.session.flush([])
        self.theirs.setblocking(False)
        try:
            return [commands.decode_from_server(payload) for payload in FrameReader().feed(self.theirs.recv(1 << 16))]
        except BlockingIOError:
            return []


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.session.socket.close()
    made.theirs.close()


def test_a_trainer_that_does_not_answer_is_not_buried_in_commands(office: Office) -> None:
    office.say(Hello("ada"))
    for number in range(3):
        assert office.say(Request(number, Pause())) == [CommandAccepted(number)]
    [refused] = office.say(Request(3, Pause()))
    assert isinstance(refused, CommandRefused)
    assert "3 commands of this client wait" in refused.reason
    admitted = office.queue.take_all()
    admitted[0].applied("paused")
    office.heard()
    assert office.say(Request(4, Pause())) == [CommandAccepted(4)]
    assert [pending.id for pending in (*admitted, *office.queue.take_all())] == [0, 1, 2, 4]


def test_it_is_in_the_log_as_accepted_before_the_trainer_can_apply_it(office: Office) -> None:
    office.say(Hello("ada"))
    logged_before: list[int] = []
    office.queue.put = lambda pending: logged_before.append(len(office.log))  # type: ignore[method-assign]
    office.say(Request(1, Pause()))
    assert logged_before == [1]
    assert office.log == [CommandLogged(time=5.0, command="pause", by="ada", outcome=CommandAccepted(1))]


def test_nothing_is_taken_while_the_trainer_ends(office: Office) -> None:
    office.say(Hello("ada"))
    office.router.ending = True
    assert office.say(Request(1, Pause())) == [CommandRefused(1, "the trainer is ending")]
    assert office.queue.take_all() == []


def test_an_answer_for_a_client_that_has_left_goes_nowhere(office: Office) -> None:
    office.say(Hello("ada"))
    office.say(Request(1, Pause()))
    office.router.leave(office.session)
    office.router.leave(office.session)
    office.queue.take_all()[0].applied("paused")
    assert office.router.names == []


def test_control_is_handed_over_at_once_in_the_audit_and_to_everybodys_knowledge(office: Office) -> None:
    office.say(Hello("ada"))
    ours, theirs = socket.socketpair()
    bob = ClientSession(ours, FEW)
    office.router.receive(bob, Hello("bob"))
    bob.flush([])
    theirs.recv(1 << 16)
    office.router.receive(bob, Request(7, TakeControl()))
    bob.flush([])
    told = [commands.decode_from_server(payload) for payload in FrameReader().feed(theirs.recv(1 << 16))]
    assert told[:2] == [CommandAccepted(7), CommandApplied(7, "from ada", 0.0)]
    assert isinstance(told[2], Welcome)
    assert told[2].controller == told[2].you == "bob"
    [news] = office.heard()
    assert isinstance(news, Welcome)
    assert news.controller == "bob"
    assert office.log == [
        CommandLogged(time=5.0, command="take control", by="bob", outcome=CommandAccepted(7)),
        CommandLogged(time=5.0, command="take control", by="bob", outcome=CommandApplied(7, "from ada", 0.0)),
    ]
    [refused] = office.say(Request(8, Pause()))
    assert isinstance(refused, CommandRefused)
    assert "bob holds control" in refused.reason
    assert office.queue.take_all() == []
    office.router.leave(bob)
    [news] = office.heard()
    assert isinstance(news, Welcome)
    assert news.controller == "ada"
    ours.close()
    theirs.close()
