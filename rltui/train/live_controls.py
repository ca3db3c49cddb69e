"""Commands and signals at the boundaries of the training loop: pause, stop, settings changed by hand; and the live state.

Polled at every collector step and every minibatch. Commands are answered by events, never by what was wished.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rltui.events.commands import (
    Command,
    Live,
    Pause,
    Resume,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRewardWeight,
    Stop,
    stopped_words,
)
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, LogLine, SettingChanged, Switched, weight_of
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.collect.worker_settings import TURTLED, Wait
from rltui.train.control.commands import CommandQueue, Known, PendingCommand, StopRequest, Urgency, command_problem
from rltui.train.control.server import ControlServer
from rltui.train.state_evaluator import StateEvaluator
from rltui.train.viewer import ViewerHost

LIVE_INTERVAL = 0.1  # seconds between two live states
PAUSE_POLL = 0.02  # seconds between two looks while paused
MEANING = {
    Urgency.FINISH: "finishing the iteration, saving, then stopping",
    Urgency.NOW: "saving the last whole state and stopping now",
    Urgency.ABANDON: "stopping without saving",
}
AGAIN = {Urgency.FINISH: " (Ctrl-C again: save now)", Urgency.NOW: " (Ctrl-C again: abandon)"}
URGENCY = {"finish": Urgency.FINISH, "now": Urgency.NOW, "abandon": Urgency.ABANDON}


@dataclass(frozen=True)
class LoopView:
    """Read-only view of the running loop: what it does, how far it is, its workers, flags, viewer and evaluation."""

    loop: LoopState
    task: ActiveTask
    viewer: ViewerHost
    evaluator: StateEvaluator

    def live(self) -> Live:
        """The state of now; `clients` and `dropped` are the control socket's to fill in."""
        return Live(
            time=time.time(),
            state=self.loop.state,
            reason=self.loop.reason or self.held(),
            iteration=self.loop.iteration,
            timesteps=self.loop.timesteps,
            progress=self._progress(),
            workers=self.task.collector.live(),
            clients=[],
            dropped=0,
            flags=self.task.settings.flags(),
            viewer=self.viewer.live(),
            elapsed=self.loop.elapsed,
            evaluation=self.evaluator.live(),
        )

    def held(self) -> str:
        """For whom the iteration waits, and will until somebody helps; mostly empty."""
        stopped = [worker for worker in self.task.collector.live() if worker.state == "stopped"]
        return "; ".join(f"waits for worker {worker.worker}, {stopped_words(worker.pid)}" for worker in stopped)

    def _progress(self) -> float | None:
        if self.loop.state == "collecting":
            return self.task.collector.progress()
        return self.task.learner.progress if self.loop.state == "learning" else None


class LiveSettings:
    """Applies commands that change how the run goes on: debug flags at once, reward weights before the next rollout, learning
    rate and entropy before the next update.
    """

    def __init__(self, queue: CommandQueue, loop: LoopState, task: ActiveTask) -> None:
        self._queue, self._loop, self._task = queue, loop, task

    def problem(self, command: Command) -> str:
        """Why the command cannot be done; "" where nothing speaks against it."""
        return command_problem(command, Known(self._task.overrides.reward_names, len(self._task.settings.workers)))

    def poll(self) -> None:
        """Send new flags to the workers, and answer whoever waits for settings that they have applied."""
        for pending in self._queue.take(SetFlag):
            self._set_flag(pending)
        self._task.settings.poll()

    def refuse_waiting(self, reason: str) -> None:
        """No worker will apply anything any more."""
        self._task.settings.refuse(reason)

    def before_collecting(self) -> None:
        """Reward weights set meanwhile hold from this rollout on."""
        waits = [wait for pending in self._queue.take(SetRewardWeight) if (wait := self._set_weight(pending))]
        if waits:
            self._task.settings.set_weights(self._task.overrides.weights, waits)

    def before_learning(self) -> None:
        """Learning rate and entropy set meanwhile hold from this update on."""
        for pending in self._queue.take(SetLearningRate, SetEntropy):
            match pending.command:
                case SetLearningRate(value=value):
                    detail = self._task.override(value, self._loop.timesteps)
                    now = self._task.rates.at(self._task.phase_timesteps(self._loop.timesteps))
                    self._publish_change(RATE_SETTING, now.policy, pending.by, critic=now.critic, profile=value is None)
                    pending.applied(detail)
                case SetEntropy(ent_coef=value):
                    detail = self._task.override_entropy(value)
                    entropy = self._task.overrides.entropy
                    self._publish_change(ENTROPY_SETTING, entropy, pending.by, profile=value is None)
                    pending.applied(detail)

    def _set_weight(self, pending: PendingCommand) -> Wait | None:
        """None where it is refused: the reward may be of a task that has ended meanwhile."""
        command = pending.command
        if not isinstance(command, SetRewardWeight):
            return None
        if command.name not in self._task.overrides.reward_names:
            pending.refused(f"no reward {command.name!r} in the task that has begun meanwhile")
            return None
        now = self._loop.timesteps
        detail = self._task.override_weight(command.name, command.weight, now)
        value = self._task.overrides.weight(command.name, self._task.phase_timesteps(now))
        profile = command.weight is None
        change = partial(self._publish_change, weight_of(command.name), value, pending.by, profile=profile)
        return Wait(_both(change, pending.applied), pending.refused, detail + ", ")

    def _set_flag(self, pending: PendingCommand) -> None:
        command = pending.command
        if not isinstance(command, SetFlag):
            return
        applied: Callable[[str], None] = pending.applied
        if command.flag == TURTLED:
            where = "" if command.worker is None else f" in worker {command.worker}"
            setting = f"{TURTLED} {'on' if command.on else 'off'}{where}"
            switched = Switched(flag=TURTLED, on=command.on, worker=command.worker)
            applied = _both(
                partial(self._publish_change, setting, None, pending.by, switched=switched), pending.applied
            )
        self._task.settings.set_flags([command.flag], command.on, command.worker, Wait(applied, pending.refused))

    def _publish_change(self, setting: str, value: float | None, by: str, **more: Any) -> None:
        """more: as in SettingChanged."""
        now, timesteps = time.time(), self._loop.timesteps
        self._loop.publish(SettingChanged(time=now, timesteps=timesteps, setting=setting, value=value, by=by, **more))


def _both(publish: Callable[[], None], applied: Callable[[str], None]) -> Callable[[str], None]:
    """Journal the change, then answer: whoever hears the answer finds the record."""

    def publish_and_answer(detail: str) -> None:
        publish()
        applied(detail)

    return publish_and_answer


class LiveControls:
    """Takes the commands that have come, holds the loop while paused, sends the live state ten times a second.

    A pause holds between collector steps, never inside an update, so that a save asked for meanwhile is a whole state.
    """

    def __init__(
        self,
        server: ControlServer,
        stop: StopRequest,
        settings: LiveSettings,
        serve_paused: Callable[[], None],
        view: LoopView,
    ) -> None:
        """serve_paused: called again and again in a pause, for saves and evaluations."""
        self.stop, self.paused_seconds = stop, 0.0
        self._server, self._queue, self._loop = server, server.commands, view.loop
        self._settings, self._serve_paused, self._viewer, self._view = settings, serve_paused, view.viewer, view
        self._logged = Urgency.NONE
        self._pausing: PendingCommand | None = None
        self._held = False
        self._stopping: list[PendingCommand] = []
        self._next_live = 0.0

    def poll(self) -> None:
        """Apply what has come and hold here while paused. Raises StopNow when the stop cannot wait."""
        self.look()
        if self._pausing is not None:
            self._hold(self._pausing)

    def look(self) -> None:
        """Apply what has come, without holding. Raises StopNow when the stop cannot wait."""
        self._queue.check(self._settings.problem)
        for pending in self._queue.take(Pause, Resume, Stop):
            self._apply(pending)
        self._settings.poll()
        self._viewer.poll()
        if self.stop.urgency is Urgency.FINISH and (held := self._view.held()):
            self.stop.request(Urgency.NOW, f"{self.stop.reason}; the iteration {held}")
        self._log_stop()
        self._show()
        self.stop.check()

    def answer_stops(self, detail: str) -> None:
        """Answer those who asked to stop: it has been done."""
        for pending in self._stopping:
            pending.applied(detail)
        self._stopping.clear()

    def refuse_waiting(self, reason: str) -> None:
        """Refuse all that will not be applied any more, and what has come meanwhile; a stop counts as applied."""
        for pending in self._queue.take_all():
            if isinstance(pending.command, Stop):
                self._apply(pending)
            else:
                pending.refused(reason)
        if self._pausing is not None:
            self._pausing.refused(reason)
            self._pausing = None
        self._settings.refuse_waiting(reason)

    def _log_stop(self) -> None:
        """Say once what a stop will do; the signal's handler may not write anything itself."""
        if self.stop.urgency > self._logged:
            self._logged = self.stop.urgency
            again = AGAIN.get(self._logged, "") if self.stop.by_key else ""
            line = f"{self.stop.reason}: {MEANING[self._logged]}{again}"
            self._loop.publish(LogLine(time=time.time(), level="info", source="trainer", message=line))

    def _apply(self, pending: PendingCommand) -> None:
        match pending.command:
            case Pause() if self._pausing is not None:
                pending.refused("already paused")
            case Pause():
                self._pausing = pending
            case Resume():
                self._resume(pending)
            case Stop(mode=mode):
                self.stop.request(URGENCY[mode], f"asked by {pending.by.partition(', pid')[0]}")
                self._stopping.append(pending)

    def _resume(self, pending: PendingCommand) -> None:
        if self._pausing is None:
            pending.refused("not paused")
            return
        if not self._held:
            self._pausing.refused("resumed before it paused")
        self._pausing = None
        pending.applied("training goes on")

    def _hold(self, pausing: PendingCommand) -> None:
        """Hold the loop here; a resume or a stop ends it, saves are served and states evaluated meanwhile."""
        started, before = time.monotonic(), self._loop.state
        self._held = True
        self._loop.enter("paused", f"by {pausing.by}")
        pausing.applied("paused")
        while self._pausing is not None and self.stop.urgency is Urgency.NONE:
            time.sleep(PAUSE_POLL)
            self.look()
            if self._pausing is not None and self._pausing is not pausing:  # resumed and paused again within one look
                pausing = self._pausing
                pausing.applied("paused")
            self._serve_paused()
        self._pausing, self._held = None, False
        self.paused_seconds += time.monotonic() - started
        self._loop.enter(before)

    def _show(self) -> None:
        now = time.monotonic()
        if now >= self._next_live:
            self._next_live = now + LIVE_INTERVAL
            self._server.show(self._view.live())
