"""PendingCommand: a command that was accepted and waits for the training loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rltui.events.commands import Command, CommandApplied, CommandRefused, name_of
from rltui.train.client_session import ClientSession


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
