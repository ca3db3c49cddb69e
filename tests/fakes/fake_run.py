"""A run without files or processes: what the reader thread asks of a RecordSource, told by the test."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from rltui.errors import RltuiError
from rltui.events.commands import (
    Command,
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Live,
    ServerMessage,
    Welcome,
    command_name,
)
from rltui.events.records import Record
from rltui.run_state.snapshot import LeftAt

ME = "ada on tower, pid 5151"


class FakeJournal:
    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._records = list(records)
        self.failure: Exception | None = None
        self.bad_lines = 0

    def add(self, *records: Record) -> None:
        self._records += records

    def newest(self) -> list[Record]:
        return []

    def poll(self) -> list[Record]:
        if self.failure is not None:
            raise self.failure
        found, self._records = self._records, []
        return found


class FakeControl:
    """Remembers the commands; answers come when the test says so."""

    def __init__(self, controller: str | None = ME) -> None:
        self.welcome: Welcome | None = Welcome("alpha", 4242, 1, controller, ME)
        self.sent: list[Command] = []
        self.closed = False
        self.gone = False
        self.spoke = False  # a live frame was sent
        self._messages: list[ServerMessage] = []
        self._lock = threading.Lock()

    @property
    def controls(self) -> bool:
        return self.welcome is not None and self.welcome.controller == ME

    def say(self, *messages: ServerMessage) -> None:
        with self._lock:
            self.spoke = self.spoke or any(isinstance(message, Live) for message in messages)
            self._messages += messages

    def accept(self, number: int) -> None:
        self.say(CommandAccepted(number))

    def apply(self, number: int, detail: str) -> None:
        self.say(CommandApplied(number, detail, 0.2))

    def refuse(self, number: int, reason: str) -> None:
        self.say(CommandRefused(number, reason))

    def send(self, command: Command) -> int:
        self.sent.append(command)
        return len(self.sent)

    @property
    def names(self) -> list[str]:
        return [command_name(command) for command in self.sent]

    def poll(self, timeout: float = 0.0) -> list[ServerMessage]:
        if self.gone:
            raise RltuiError("the trainer closed the connection")
        with self._lock:
            found, self._messages = self._messages, []
        return found

    def close(self) -> None:
        self.closed = True


class FakeRun:
    """A RecordSource. process: whether a trainer holds the run; control None: nobody to talk to."""

    def __init__(
        self,
        records: Sequence[Record] = (),
        *,
        name: str = "alpha",
        process: bool | None = True,
        control: FakeControl | None = None,
    ) -> None:
        self.name = name
        self.records = FakeJournal(records)
        self.control = control
        self.process = process
        self.deleted = False
        self.output = ""
        self.left: LeftAt | None = None

    def journal(self) -> FakeJournal:
        return self.records

    def connect(self) -> FakeControl:
        if self.control is None:
            raise RltuiError(f"no trainer is running for run {self.name}")
        self.control.gone = False
        return self.control

    def alive(self) -> bool | None:
        return self.process

    def gone(self) -> bool:
        return self.deleted

    def last_output(self) -> str:
        return self.output

    def left_at(self) -> LeftAt | None:
        return self.left

    def leave(self, at: LeftAt) -> None:
        self.left = at
