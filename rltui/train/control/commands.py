"""Commands polled by the loop; stop requests; live state."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import FrameType
from typing import Protocol

from rltui.errors import did_you_mean
from rltui.events.commands import (
    FLAGS,
    OF_TRAINER,
    OUTPUTS,
    Command,
    FlagLive,
    Live,
    NextPhase,
    Pause,
    Resume,
    SaveCheckpoint,
    SaveMilestone,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
    Stop,
    ViewerLive,
    WorkerLive,
)
from rltui.events.episode_reward import RewardWindow
from rltui.events.records import TrainerState
from rltui.supervise.signals import ignore

LARGEST_RATE = 1.0  # as of ppo.learning_rate
LARGEST_ENTROPY = 10.0  # as of ppo.ent_coef
LARGEST_WEIGHT = 1e6  # of a reward, either sign: what is far beyond any sense


@dataclass(frozen=True)
class Known:
    """What commands may name."""

    rewards: Sequence[str] = ()
    workers: int = 0


def problem(command: Command, known: Known) -> str:
    """Why it cannot be done; "" where nothing speaks against it."""
    match command:
        case SetLearningRate(value=value) if not _within(value, 0.0, LARGEST_RATE):
            return f"a learning rate is 0 to {LARGEST_RATE:g}, found {value:g}"
        case SetEntropy(ent_coef=value) if not _within(value, 0.0, LARGEST_ENTROPY):
            return f"an entropy coefficient is 0 to {LARGEST_ENTROPY:g}, found {value:g}"
        case SetRewardWeight(weight=value) if not _within(value, -LARGEST_WEIGHT, LARGEST_WEIGHT):
            return f"a reward's weight is -{LARGEST_WEIGHT:,.0f} to {LARGEST_WEIGHT:,.0f}, found {value:g}"
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


# StopRequest: how urgently the user wants the run to end, from signals and commands alike.
#
# Ctrl-C once: finish the iteration, save, stop; twice: save now; thrice: abandon. SIGTERM is once. SIGHUP is ignored, so
# that training outlives its terminal.

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
        ignore("SIGHUP")

    def close(self) -> None:
        """The run has ended and is saved: a late Ctrl-C must not turn that into a death by signal. A third one still ends
        the process at once.
        """
        ignore("SIGTERM")

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        self._interrupts += 1  # counted apart: a Ctrl-C after a SIGTERM is the first one
        urgency = Urgency(min(self._interrupts, Urgency.ABANDON))
        self.ask(urgency, INTERRUPT if self._interrupts == 1 else f"{INTERRUPT}, {self._interrupts} times")
        if urgency is Urgency.ABANDON:
            self._on_abandon()


# LiveControls: where the loop listens. Polled at every collector step and every minibatch, it obeys commands and signals,
# holds the loop while paused, and sends the live state. The answers to commands are events, never wishes.
#
# A pause holds between collector steps, never inside an update, so that a save asked for meanwhile is a whole state.

LIVE_INTERVAL = 0.1  # seconds between two live states
PAUSE_POLL = 0.02  # seconds between two looks while paused
MEANING = {
    Urgency.FINISH: "the iteration is finished and saved, then training stops",
    Urgency.NOW: "the last whole state is saved and training stops now",
    Urgency.ABANDON: "training stops without saving",
}
AGAIN = {Urgency.FINISH: " (Ctrl-C again: save now)", Urgency.NOW: " (Ctrl-C again: abandon)"}
URGENCY = {"finish": Urgency.FINISH, "now": Urgency.NOW, "abandon": Urgency.ABANDON}


class Pending(Protocol):
    """A command that waits for its answer (train.controls.PendingCommand)."""

    command: Command
    by: str

    def applied(self, detail: str) -> None: ...

    def refused(self, reason: str) -> None: ...


@dataclass
class LoopState:
    """What the loop is doing now; the loop writes it, the live state shows it."""

    state: TrainerState = "starting"
    reason: str = ""
    iteration: int = 0
    timesteps: int = 0
    mean_reward: float | None = None  # of the checkpoint resumed from
    rewards: RewardWindow = field(default_factory=RewardWindow)  # of the journal so far


class LiveControls:
    """Commands in, live state out."""

    def __init__(
        self,
        loop: LoopState,
        stop: StopRequest,
        commands: Callable[[], Sequence[Pending]],
        send_live: Callable[[Live], None],
        log: Callable[[str], None],
    ) -> None:
        """log: a line for people. What belongs to the loop itself is set by the Trainer."""
        self._log, self._said = log, Urgency.NONE
        self.loop, self.stop = loop, stop
        self._commands, self._send_live = commands, send_live
        self.change_state: Callable[[TrainerState, str], None] = lambda state, reason: None
        self.workers: Callable[[], list[WorkerLive]] = list
        self.progress: Callable[[], float | None] = lambda: None
        self.paused_seconds = 0.0
        self.saves: list[Pending] = []  # checkpoint and milestone commands for the end of the iteration
        self.promotions: list[Pending] = []  # next_phase commands, for the end of the iteration
        self.rates: list[Pending] = []  # learning_rate and entropy commands, for the next update
        self.weights: list[Pending] = []  # reward_weight commands, for the next rollout
        self.set_flag: Callable[[Pending], None] = lambda pending: pending.refused("there are no workers yet")
        self.set_render: Callable[[Pending], None] = lambda pending: pending.refused("there is no viewer")
        self.attend: Callable[[], None] = lambda: None  # hears whether orders are in force
        self.attend_viewer: Callable[[], None] = lambda: None
        self.viewer: Callable[[], ViewerLive | None] = lambda: None
        self.refuse_orders: Callable[[str], None] = lambda reason: None
        self.flags: Callable[[], list[FlagLive]] = list
        self.known: Callable[[], Known] = Known
        self.serve_saves: Callable[[], None] = lambda: None
        self._pausing: Pending | None = None
        self._held = False
        self._stopping: list[Pending] = []
        self._next_live = 0.0

    def poll(self) -> None:
        """Obey what has come and hold here while paused. Raises StopNow when the stop cannot wait."""
        self.look()
        if self._pausing is not None:
            self._stay_paused(self._pausing)

    def look(self) -> None:
        """Obey what has come, without holding. Raises StopNow when the stop cannot wait."""
        for pending in self._commands():
            self._obey(pending)
        self.attend()
        self.attend_viewer()
        self._say_stop()
        self._show()
        self.stop.check()

    def answer_stops(self, detail: str) -> None:
        """Tell those who asked to stop that it has been done."""
        for pending in self._stopping:
            pending.applied(detail)
        self._stopping.clear()

    def refuse_waiting(self, reason: str) -> None:
        """Tell those whose command will not be obeyed any more, and those who have sent one meanwhile; a stop is obeyed."""
        for pending in self._commands():
            if isinstance(pending.command, Stop):
                self._obey(pending)
            else:
                pending.refused(reason)
        if self._pausing is not None:
            self._pausing.refused(reason)
            self._pausing = None
        for waiting in (self.saves, self.promotions, self.rates, self.weights):
            for pending in waiting:
                pending.refused(reason)
            waiting.clear()
        self.refuse_orders(reason)

    def _say_stop(self) -> None:
        """Say once what a stop will do; the signal's handler may not write anything itself."""
        if self.stop.urgency > self._said:
            self._said = self.stop.urgency
            again = AGAIN.get(self._said, "") if self.stop.by_key else ""
            self._log(f"{self.stop.reason}: {MEANING[self._said]}{again}")

    def _obey(self, pending: Pending) -> None:
        wrong = problem(pending.command, self.known())
        if wrong:
            pending.refused(wrong)
            return
        match pending.command:
            case Pause():
                self._pause(pending)
            case Resume():
                self._resume(pending)
            case SaveCheckpoint() | SaveMilestone():
                self.saves.append(pending)
            case NextPhase():
                self.promotions.append(pending)
            case SetLearningRate() | SetEntropy():
                self.rates.append(pending)
            case SetRewardWeight():
                self.weights.append(pending)
            case SetFlag():
                self.set_flag(pending)
            case SetRender():
                self.set_render(pending)
            case Stop(mode=mode):
                self.stop.ask(URGENCY[mode], f"stop ({mode}) by {pending.by}")
                self._stopping.append(pending)

    def _pause(self, pending: Pending) -> None:
        if self._pausing is None:
            self._pausing = pending
        else:
            pending.refused("already paused")

    def _resume(self, pending: Pending) -> None:
        if self._pausing is None:
            pending.refused("not paused")
            return
        if not self._held:
            self._pausing.refused("resumed before the pause took hold")
        self._pausing = None
        pending.applied("training goes on")

    def _stay_paused(self, pausing: Pending) -> None:
        """Hold the loop here; a resume or a stop ends it, saves are served meanwhile."""
        started, before = time.monotonic(), self.loop.state
        self._held = True
        self.change_state("paused", f"by {pausing.by}")
        pausing.applied("paused")
        while self._pausing is not None and self.stop.urgency is Urgency.NONE:
            time.sleep(PAUSE_POLL)
            self.look()
            if self._pausing is not None and self._pausing is not pausing:  # resumed and paused again within one look
                pausing = self._pausing
                pausing.applied("paused")
            self.serve_saves()
        self._pausing, self._held = None, False
        self.paused_seconds += time.monotonic() - started
        self.change_state(before, "")

    def _show(self) -> None:
        now = time.monotonic()
        if now < self._next_live:
            return
        self._next_live = now + LIVE_INTERVAL
        self._send_live(
            Live(
                time=time.time(),
                state=self.loop.state,
                reason=self.loop.reason,
                iteration=self.loop.iteration,
                timesteps=self.loop.timesteps,
                progress=self.progress(),
                workers=self.workers(),
                clients=[],
                dropped=0,
                flags=self.flags(),
                viewer=self.viewer(),
            )
        )
