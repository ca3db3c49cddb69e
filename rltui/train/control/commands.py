"""Queue of commands between the control socket's thread and the training loop, what keeps one from being done, stop requests."""

from __future__ import annotations

import math
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import FrameType

from rltui.errors import did_you_mean
from rltui.events.commands import (
    FLAGS,
    OF_TRAINER,
    OUTPUTS,
    Command,
    CommandApplied,
    CommandRefused,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
    command_name,
)
from rltui.supervise.signals import ignore

RATE_LIMIT = 1.0  # as of ppo.learning_rate
ENTROPY_LIMIT = 10.0  # as of ppo.ent_coef
WEIGHT_LIMIT = 1e6  # of a reward, either sign: what is far beyond any sense


INTERRUPT = "Ctrl-C"


@dataclass(eq=False)
class PendingCommand:
    """A command that waits for its answer. Answer it once, from any thread; the first answer stands, later ones are ignored."""

    id: int  # the client's
    command: Command
    by: str
    answer: Callable[[PendingCommand, CommandApplied | CommandRefused], None] | None = field(default=None, repr=False)
    accepted: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        """As people read it: pause, checkpoint, stop …"""
        return command_name(self.command)

    def applied(self, detail: str = "") -> None:
        """It has taken effect; `detail` is for people: "saved 12,431,360 in 0.4 s"."""
        self._conclude(CommandApplied(self.id, detail, round(time.monotonic() - self.accepted, 6)))

    def refused(self, reason: str) -> None:
        """It will not take effect, and why."""
        self._conclude(CommandRefused(self.id, reason))

    def _conclude(self, outcome: CommandApplied | CommandRefused) -> None:
        answer, self.answer = self.answer, None
        if answer is not None:
            answer(self, outcome)


class CommandQueue:
    """Accepted commands: put in by the control socket's thread, taken by the training loop at its boundaries, kind by kind."""

    def __init__(self) -> None:
        self._arrived: deque[PendingCommand] = deque()  # touched by both threads
        self._checked: list[PendingCommand] = []  # touched by the training loop alone

    def put(self, pending: PendingCommand) -> None:
        self._arrived.append(pending)

    def check(self, problem: Callable[[Command], str]) -> None:
        """Refuse those of the new ones that cannot be done. problem: why not; "" where nothing speaks against it."""
        while self._arrived:
            pending = self._arrived.popleft()
            if wrong := problem(pending.command):
                pending.refused(wrong)
            else:
                self._checked.append(pending)

    def waiting(self, *kinds: type[Command]) -> list[PendingCommand]:
        """The checked ones of these kinds, oldest first; they stay."""
        return [pending for pending in self._checked if isinstance(pending.command, kinds)]

    def take(self, *kinds: type[Command]) -> list[PendingCommand]:
        """The checked ones of these kinds, oldest first; the others stay."""
        taken = self.waiting(*kinds)
        if taken:
            self._checked = [pending for pending in self._checked if pending not in taken]
        return taken

    def take_all(self) -> list[PendingCommand]:
        """All, oldest first, checked or not."""
        taken, self._checked = self._checked, []
        while self._arrived:
            taken.append(self._arrived.popleft())
        return taken


@dataclass(frozen=True)
class Known:
    """What commands may name."""

    rewards: Sequence[str] = ()
    workers: int = 0


def command_problem(command: Command, known: Known) -> str:
    """Why it cannot be done; "" where nothing speaks against it."""
    match command:
        case SetLearningRate(value=value) if not _within(value, 0.0, RATE_LIMIT):
            return f"a learning rate is 0 to {RATE_LIMIT:g}, found {value:g}"
        case SetEntropy(ent_coef=value) if not _within(value, 0.0, ENTROPY_LIMIT):
            return f"an entropy coefficient is 0 to {ENTROPY_LIMIT:g}, found {value:g}"
        case SetRewardWeight(weight=value) if not _within(value, -WEIGHT_LIMIT, WEIGHT_LIMIT):
            return f"a reward's weight is -{WEIGHT_LIMIT:,.0f} to {WEIGHT_LIMIT:,.0f}, found {value:g}"
        case SetRewardWeight(name=name) if name not in known.rewards:
            return f"no reward {name!r}{_nearest(name, known.rewards)}"
        case SetRender(output=output) if output and output not in OUTPUTS:
            return f"the viewer has no output {output!r}{_nearest(output, OUTPUTS)}"
        case SetFlag():
            return _flag_problem(command, known.workers)
        case _:
            return ""


def _flag_problem(command: SetFlag, workers: int) -> str:
    if command.flag not in FLAGS:
        return f"no debug flag {command.flag!r}{_nearest(command.flag, FLAGS)}"
    if command.worker is None:
        return ""
    if command.flag in OF_TRAINER:
        return f"{command.flag} is the trainer's, not one worker's: set it for all"
    if not 0 <= command.worker < workers:
        return f"no worker {command.worker}: they are 0 to {workers - 1}"
    return ""


def _within(value: float | None, low: float, high: float) -> bool:
    return value is None or (math.isfinite(value) and low <= value <= high)


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f": {did_you_mean(name, names) or 'there are ' + (', '.join(names) or 'none')}"


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
    """How urgently the run shall end, from signals and commands alike: the highest urgency asked for so far, and why.

    Ctrl-C once: finish the iteration, save, stop; twice: save now; thrice: abandon. SIGTERM is once. SIGHUP is ignored, so
    that training outlives its terminal.
    """

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

    def request(self, urgency: Urgency, reason: str) -> None:
        if urgency > self.urgency:
            self.urgency, self.reason = urgency, reason

    def check(self) -> None:
        """Raise StopNow when the stop cannot wait."""
        if self.urgency >= Urgency.NOW:
            raise StopNow

    def install(self) -> None:
        """Take over SIGINT and SIGTERM; ignore SIGHUP where it exists."""
        signal.signal(signal.SIGINT, self._interrupt)
        signal.signal(signal.SIGTERM, lambda *_: self.request(Urgency.FINISH, "SIGTERM"))
        ignore("SIGHUP")

    def close(self) -> None:
        """The run has ended and is saved: a late Ctrl-C must not turn that into a death by signal. A third one still ends
        the process at once.
        """
        ignore("SIGTERM")

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        self._interrupts += 1  # counted apart: a Ctrl-C after a SIGTERM is the first one
        urgency = Urgency(min(self._interrupts, Urgency.ABANDON))
        self.request(urgency, INTERRUPT if self._interrupts == 1 else f"{INTERRUPT}, {self._interrupts} times")
        if urgency is Urgency.ABANDON:
            self._on_abandon()
