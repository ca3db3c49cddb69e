"""CommandRouter: what is answered to which message, without a server."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from rltui.events import commands
from rltui.events.commands import (
    ClientMessage,
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Hello,
    Pause,
    Request,
    TakeControl,
    Welcome,
)
from rltui.events.records import CommandLogged, LogLine
from rltui.supervise.sockets import FrameReader
from rltui.train.control.client_session import ClientSession, Limits
from rltui.train.control.router import CommandRouter, PendingCommand

LIMITS = Limits(burst=100, waiting=3)


class Office:
    """A desk, one client, and all that they say."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.admitted: list[PendingCommand] = []
        self.log: list[CommandLogged | LogLine] = []
        self.desk = CommandRouter("alpha", LIMITS, self.admitted.append, self.settle, self.log.append, lambda: 5.0)
        self.session = ClientSession(ours, LIMITS)

    def settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        self.desk.settle(pending, outcome)

    def say(self, message: ClientMessage) -> list[commands.ServerMessage]:
        """What the client hears in answer."""
        self.desk.receive(self.session, message)
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
    office.admitted[0].applied("paused")
    office.heard()
    assert office.say(Request(4, Pause())) == [CommandAccepted(4)]
    assert [pending.id for pending in office.admitted] == [0, 1, 2, 4]


def test_it_is_in_the_log_as_accepted_before_the_trainer_can_apply_it(office: Office) -> None:
    office.say(Hello("ada"))
    logged_before: list[int] = []
    office.desk._admit = lambda pending: logged_before.append(len(office.log))
    office.say(Request(1, Pause()))
    assert logged_before == [1]
    assert office.log == [CommandLogged(time=5.0, command="pause", by="ada", outcome=CommandAccepted(1))]


def test_nothing_is_taken_while_the_trainer_ends(office: Office) -> None:
    office.say(Hello("ada"))
    office.desk.ending = True
    assert office.say(Request(1, Pause())) == [CommandRefused(1, "the trainer is ending")]
    assert office.admitted == []


def test_an_answer_for_a_client_that_has_left_goes_nowhere(office: Office) -> None:
    office.say(Hello("ada"))
    office.say(Request(1, Pause()))
    office.desk.leave(office.session)
    office.desk.leave(office.session)
    office.admitted[0].applied("paused")
    assert office.desk.names == []


def test_control_is_handed_over_at_once_in_the_audit_and_to_everybodys_knowledge(office: Office) -> None:
    office.say(Hello("ada"))
    ours, theirs = socket.socketpair()
    bob = ClientSession(ours, LIMITS)
    office.desk.receive(bob, Hello("bob"))
    bob.flush([])
    theirs.recv(1 << 16)
    office.desk.receive(bob, Request(7, TakeControl()))
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
    assert office.admitted == []
    office.desk.leave(bob)
    [news] = office.heard()
    assert isinstance(news, Welcome)
    assert news.controller == "ada"
    ours.close()
    theirs.close()
