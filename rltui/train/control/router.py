"""Greeting, who controls, accept or refuse."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from rltui.events.commands import (
    ClientMessage,
    Command,
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Hello,
    Request,
    Stop,
    TakeControl,
    Welcome,
    name_of,
)
from rltui.events.records import CommandLogged, LogLine
from rltui.train.control.client_session import ClientFault, ClientSession, Limits


class Person(Protocol):
    """What the rule needs to know of a client."""

    @property
    def name(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def errand(self) -> bool: ...


class ControlHolder:
    """The clients that want control, oldest first. Errands (`rltui stop`) are never among them.

    An errand may stop the run whoever holds control: the socket lets in this user only, who could signal the process
    anyway, and a stop by command saves first. Otherwise a viewer forgotten on another terminal would be all that can
    end a run. The journal names who did it. Everything else is the holder's alone.
    """

    def __init__(self) -> None:
        self._waiting: list[Person] = []

    @property
    def holder(self) -> Person | None:
        return self._waiting[0] if self._waiting else None

    def join(self, person: Person) -> None:
        if not person.readonly and not person.errand:
            self._waiting.append(person)

    def leave(self, person: Person) -> None:
        self._waiting = [other for other in self._waiting if other is not person]

    def take(self, person: Person) -> Person | None:
        """Control passes to this one, who may have it; the former holder, next in line from now on."""
        former = self.holder
        self._waiting = [person, *(other for other in self._waiting if other is not person)]
        return former

    def refusal(self, person: Person, command: Command) -> str | None:
        """Why the command is not taken from this client; None when it is."""
        if person.readonly:
            return "this client is attached read-only"
        if isinstance(command, TakeControl):
            return "a command line's errand never holds control" if person.errand else None
        holder = self.holder
        if holder is person or (person.errand and (holder is None or isinstance(command, Stop))):
            return None
        return f"{holder.name if holder else 'nobody'} holds control; O in the cockpit takes it, rltui stop works for everybody"


@dataclass(eq=False)
class PendingCommand:
    """Answer it once, from any thread; the first answer stands and later ones are ignored."""

    id: int  # the client's
    command: Command
    by: str
    session: ClientSession = field(repr=False)
    accepted: float = field(default_factory=time.monotonic)
    settle: Callable[[PendingCommand, CommandApplied | CommandRefused], None] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """As people read it: pause, checkpoint, stop …"""
        return name_of(self.command)

    def applied(self, detail: str = "") -> None:
        """It has taken effect; `detail` is for people: "saved 12,431,360 in 0.4 s"."""
        self._answer(CommandApplied(self.id, detail, round(time.monotonic() - self.accepted, 6)))

    def refused(self, reason: str) -> None:
        """It will not take effect, and why."""
        self._answer(CommandRefused(self.id, reason))

    def _answer(self, outcome: CommandApplied | CommandRefused) -> None:
        settle, self.settle = self.settle, None
        if settle is not None:
            settle(self, outcome)


PROTOCOL = 1
LONGEST_NAME = 80  # characters


class CommandRouter:
    """Greets clients, hands control on, takes or refuses commands, tells the log.

    admit: is given each accepted command. settle: is called by it when it is answered. log: is given every outcome that
    is decided here.
    """

    def __init__(
        self,
        run_name: str,
        limits: Limits,
        admit: Callable[[PendingCommand], None],
        settle: Callable[[PendingCommand, CommandApplied | CommandRefused], None],
        log: Callable[[CommandLogged | LogLine], None],
        clock: Callable[[], float],
    ) -> None:
        self.names: list[str] = []  # replaced, never changed, so that other threads may read it
        self.ending = False  # set by another thread
        self.unanswered: set[PendingCommand] = set()  # emptied by whoever answers
        self._run_name, self._limits = run_name, limits
        self._admit, self._settle, self._log, self._clock = admit, settle, log, clock
        self._greeted: list[ClientSession] = []
        self._control = ControlHolder()

    def receive(self, session: ClientSession, message: ClientMessage) -> None:
        """One message of a client."""
        if isinstance(message, Hello):
            self._greet(session, message)
        elif session.hello is None:
            session.fault = ClientFault("garbage", "a command before the introduction")
        else:
            self._decide(session, message)

    def leave(self, session: ClientSession) -> None:
        """The client's connection is over. Control passes on if it held it, and the others are told."""
        if session not in self._greeted:
            return
        held = self._control.holder is session
        self._greeted.remove(session)
        self._control.leave(session)
        self._note_names()
        if held:
            self._tell_who_controls()

    def settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """The trainer has answered."""
        pending.session.waiting -= 1
        pending.session.answer(outcome)

    def _greet(self, session: ClientSession, hello: Hello) -> None:
        if session.hello is not None:
            session.fault = ClientFault("garbage", "a second introduction")
            return
        if hello.protocol != PROTOCOL:
            session.fault = ClientFault("protocol", f"it speaks protocol {hello.protocol}, this trainer {PROTOCOL}")
            return
        session.hello = hello
        session.name = self._free_name(hello.client)
        self._greeted.append(session)
        self._control.join(session)
        self._note_names()
        if self._control.holder is session:
            self._tell_who_controls()
        else:
            session.answer(self._welcome(session))

    def _free_name(self, wish: str) -> str:
        """A name that is safe to print and nobody else's."""
        shown = "".join(c if c.isprintable() else "?" for c in wish[:LONGEST_NAME]).strip() or "somebody"
        number, name = 1, shown
        while name in self.names:
            number += 1
            name = f"{shown} ({number})"
        return name

    def _note_names(self) -> None:
        self.names = [session.name for session in self._greeted]

    def _tell_who_controls(self) -> None:
        for session in self._greeted:
            session.answer(self._welcome(session))

    def _welcome(self, session: ClientSession) -> Welcome:
        holder = self._control.holder
        return Welcome(self._run_name, os.getpid(), PROTOCOL, holder.name if holder else None, you=session.name)

    def _decide(self, session: ClientSession, request: Request) -> None:
        if not session.bucket.take():
            self._refuse_flood(session, request)
            return
        session.limited = False
        reason = self._control.refusal(session, request.command)
        if self.ending:
            reason = "the trainer is ending"
        elif reason is None and session.waiting >= self._limits.waiting:
            reason = f"{session.waiting} commands of this client wait for the trainer already"
        if reason is not None:
            self._conclude(session, request, CommandRefused(request.id, reason))
            return
        if isinstance(request.command, TakeControl):
            self._hand_over(session, request)
            return
        session.waiting += 1
        pending = PendingCommand(request.id, request.command, session.name, session, settle=self._settle)
        self.unanswered.add(pending)
        session.answer(CommandAccepted(request.id))
        session.flush(self.names)  # before the journal, which may be on a slow disk
        self._note(session, request, CommandAccepted(request.id))
        self._admit(pending)  # last, so that nothing is applied before the journal says that it was accepted

    def _hand_over(self, session: ClientSession, request: Request) -> None:
        """Control passes at once: everybody is told, and the audit says from whom."""
        former = self._control.take(session)
        before = "had it already" if former is session else f"from {former.name}" if former else "nobody had it"
        for outcome in (CommandAccepted(request.id), CommandApplied(request.id, before, 0.0)):
            session.answer(outcome)
            self._note(session, request, outcome)
        if former is not session:
            self._tell_who_controls()

    def _refuse_flood(self, session: ClientSession, request: Request) -> None:
        """Answer each, log the first only, and stop listening for a moment."""
        refused = CommandRefused(
            request.id, f"too many commands: {self._limits.commands_per_second:g} a second are taken"
        )
        if session.limited:
            session.answer(refused)
        else:
            self._conclude(session, request, refused)
        session.limited = True
        session.mute()

    def _conclude(self, session: ClientSession, request: Request, refused: CommandRefused) -> None:
        session.answer(refused)
        self._note(session, request, refused)

    def _note(
        self, session: ClientSession, request: Request, outcome: CommandAccepted | CommandApplied | CommandRefused
    ) -> None:
        name = name_of(request.command)
        self._log(CommandLogged(time=self._clock(), command=name, by=session.name, outcome=outcome))
