"""Router of clients' messages: greets, decides who holds control, accepts commands into the queue or refuses them."""

from __future__ import annotations

import os
from collections.abc import Callable
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
    command_name,
)
from rltui.events.records import CommandLogged, LogLine
from rltui.train.control.client_session import ClientFault, ClientSession, Limits
from rltui.train.control.commands import CommandQueue, PendingCommand

PROTOCOL = 1
LONGEST_NAME = 80  # characters


class Client(Protocol):
    """What the rule of control needs to know of a client."""

    @property
    def name(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def one_shot(self) -> bool: ...


class ControlHolder:
    """The clients that want control, oldest first. One-shot clients (`rltui stop`) are never among them.

    A one-shot client may stop the run whoever holds control: the socket lets in this user only, who could signal the process
    anyway, and a stop by command saves first. Otherwise a viewer forgotten on another terminal would be all that can
    end a run. The journal names who did it. Everything else is the holder's alone.
    """

    def __init__(self) -> None:
        self._waiting: list[Client] = []

    @property
    def holder(self) -> Client | None:
        return self._waiting[0] if self._waiting else None

    def join(self, client: Client) -> None:
        if not client.readonly and not client.one_shot:
            self._waiting.append(client)

    def leave(self, client: Client) -> None:
        self._waiting = [other for other in self._waiting if other is not client]

    def take(self, client: Client) -> Client | None:
        """Control passes to this one, who may have it; the former holder, next in line from now on."""
        former = self.holder
        self._waiting = [client, *(other for other in self._waiting if other is not client)]
        return former

    def refusal(self, client: Client, command: Command) -> str | None:
        """Why the command is not taken from this client; None when it is."""
        if client.readonly:
            return "this client is attached read-only"
        if isinstance(command, TakeControl):
            return "a command line's errand never holds control" if client.one_shot else None
        holder = self.holder
        if holder is client or (client.one_shot and (holder is None or isinstance(command, Stop))):
            return None
        return f"{holder.name if holder else 'nobody'} holds control; O in the cockpit takes it, rltui stop works for everybody"


class CommandRouter:
    """Answers each message of a client. For the socket's thread.

    queue: gets each accepted command. answered: is called by whoever answers one. log: gets every outcome decided here.
    """

    def __init__(
        self,
        run_name: str,
        limits: Limits,
        queue: CommandQueue,
        answered: Callable[[PendingCommand, CommandApplied | CommandRefused], None],
        log: Callable[[CommandLogged | LogLine], None],
        clock: Callable[[], float],
    ) -> None:
        self.names: list[str] = []  # replaced, never changed, so that other threads may read it
        self.ending = False  # set by another thread
        self.unanswered: dict[PendingCommand, ClientSession] = {}
        self._run_name, self._limits = run_name, limits
        self._queue, self._answered, self._log, self._clock = queue, answered, log, clock
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
        """The client's connection is over. Control passes on if it held it, and the others get a welcome."""
        if session not in self._greeted:
            return
        held = self._control.holder is session
        self._greeted.remove(session)
        self._control.leave(session)
        self._update_names()
        if held:
            self._send_welcomes()

    def settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """The trainer has answered."""
        session = self.unanswered.pop(pending)
        session.waiting -= 1
        session.answer(outcome)

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
        self._update_names()
        if self._control.holder is session:
            self._send_welcomes()
        else:
            session.answer(self._welcome(session))

    def _free_name(self, wanted: str) -> str:
        """A name that is safe to print and nobody else's."""
        shown = "".join(c if c.isprintable() else "?" for c in wanted[:LONGEST_NAME]).strip() or "somebody"
        number, name = 1, shown
        while name in self.names:
            number += 1
            name = f"{shown} ({number})"
        return name

    def _update_names(self) -> None:
        self.names = [session.name for session in self._greeted]

    def _send_welcomes(self) -> None:
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
            self._refuse(session, request, CommandRefused(request.id, reason))
            return
        if isinstance(request.command, TakeControl):
            self._take_control(session, request)
            return
        session.waiting += 1
        pending = PendingCommand(request.id, request.command, session.name, self._answered)
        self.unanswered[pending] = session
        session.answer(CommandAccepted(request.id))
        session.flush(self.names)  # before the journal, which may be on a slow disk
        self._log_outcome(session, request, CommandAccepted(request.id))
        self._queue.put(pending)  # last, so that nothing is applied before the journal says that it was accepted

    def _take_control(self, session: ClientSession, request: Request) -> None:
        """Control passes at once: everybody gets a welcome, and the audit says from whom."""
        former = self._control.take(session)
        before = "had it already" if former is session else f"from {former.name}" if former else "nobody had it"
        for outcome in (CommandAccepted(request.id), CommandApplied(request.id, before, 0.0)):
            session.answer(outcome)
            self._log_outcome(session, request, outcome)
        if former is not session:
            self._send_welcomes()

    def _refuse_flood(self, session: ClientSession, request: Request) -> None:
        """Answer each, log the first only, and stop listening for a moment."""
        refused = CommandRefused(
            request.id, f"too many commands: {self._limits.commands_per_second:g} a second are taken"
        )
        if session.limited:
            session.answer(refused)
        else:
            self._refuse(session, request, refused)
        session.limited = True
        session.mute()

    def _refuse(self, session: ClientSession, request: Request, refused: CommandRefused) -> None:
        session.answer(refused)
        self._log_outcome(session, request, refused)

    def _log_outcome(
        self, session: ClientSession, request: Request, outcome: CommandAccepted | CommandApplied | CommandRefused
    ) -> None:
        name = command_name(request.command)
        self._log(CommandLogged(time=self._clock(), command=name, by=session.name, outcome=outcome))
