"""StopRequest: how urgently the user wants the run to end, from signals and commands alike.

Ctrl-C once: finish the iteration, save, stop; twice: save now; thrice: abandon. SIGTERM is once. SIGHUP is ignored, so
that training outlives its terminal.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from enum import IntEnum
from types import FrameType

INTERRUPT = "Ctrl-C"


class Urgency(IntEnum):
    """Each level includes the ones before it."""

    NONE = 0
    FINISH = 1  # end this iteration, save, stop
    NOW = 2  # save the state after the last whole iteration, stop
    ABANDON = 3  # stop without saving


class StopNow(BaseException):
    """Raised between two steps or minibatches when the stop cannot wait for the iteration.

    A BaseException, so that nothing that guards against errors takes it for one.
    """


class StopRequest:
    """The highest urgency asked for so far, and why."""

    def __init__(self, on_abandon: Callable[[], None]) -> None:
        """on_abandon: called from the signal handler at the third Ctrl-C; it does not return to the loop."""
        self.urgency = Urgency.NONE
        self.reason = ""
        self._on_abandon = on_abandon
        self._interrupts = 0

    @property
    def by_key(self) -> bool:
        """Whether it was asked for with Ctrl-C: who has that key may press it again."""
        return self.reason.startswith(INTERRUPT)

    def ask(self, urgency: Urgency, reason: str) -> None:
        if urgency > self.urgency:
            self.urgency, self.reason = urgency, reason

    def check(self) -> None:
        """Raise StopNow when the stop cannot wait."""
        if self.urgency >= Urgency.NOW:
            raise StopNow

    def install(self) -> None:
        """Take over SIGINT and SIGTERM; ignore SIGHUP where it exists."""
        signal.signal(signal.SIGINT, self._interrupt)
        signal.signal(signal.SIGTERM, lambda *_: self.ask(Urgency.FINISH, "SIGTERM"))
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def close(self) -> None:
        """The run has ended and is saved: a late Ctrl-C must not turn that into a death by signal. A third one still ends
        the process at once.
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        self._interrupts += 1  # counted apart: a Ctrl-C after a SIGTERM is the first one
        urgency = Urgency(min(self._interrupts, Urgency.ABANDON))
        self.ask(urgency, INTERRUPT if self._interrupts == 1 else f"{INTERRUPT}, {self._interrupts} times")
        if urgency is Urgency.ABANDON:
            self._on_abandon()
