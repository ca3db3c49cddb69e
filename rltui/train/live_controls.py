"""LiveControls: where the loop listens. Polled at every collector step and every minibatch, it obeys commands and signals,
holds the loop while paused, and sends the live state. The answers to commands are events, never wishes.

A pause holds between collector steps, never inside an update, so that a save asked for meanwhile is a whole state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rltui.events.commands import (
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
from rltui.train.command_check import Known, problem
from rltui.train.stop_request import StopRequest, Urgency

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
