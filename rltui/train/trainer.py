"""The loop."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

import numpy as np

from rltui.errors import RltuiError
from rltui.events.records import IterationFinished, LogLine, Record, StateChanged, TrainerState
from rltui.learn.report import UpdateReport
from rltui.train.active_task import ActiveTask
from rltui.train.checkpointing import CheckpointScheduler, CheckpointWriter
from rltui.train.collect.collector import Collected
from rltui.train.collect.worker_pool import WorkersFailing
from rltui.train.collect.worker_settings import LINES_PER_SECOND, DebugRun, TrainerDebug, WorkerSettings
from rltui.train.control.commands import LiveControls, StopNow, Urgency
from rltui.train.curriculum import CurriculumMove
from rltui.train.header import lesson_changes, opening
from rltui.train.iteration_metrics import IterationTimes, TableUse, iteration_metrics, match_stats, replaced
from rltui.train.live_settings import LiveChanges
from rltui.train.setup import StartContext
from rltui.train.shutdown import NotFinite, Shutdown, UpdateGuard
from rltui.train.viewer import ViewerHost

RUNNING = {"collecting", "learning"}


class Trainer:
    """One run, from its first iteration to its last. Built by `train.session`."""

    def __init__(
        self,
        prepared: StartContext,
        course: ActiveTask,
        saving: CheckpointWriter,
        controls: LiveControls,
        viewer: ViewerHost,
        tell: Callable[[Record], None],
    ) -> None:
        self._prepared, self._course, self._viewer = prepared, course, viewer
        self._controls, self._loop, self._stop, self._tell = controls, controls.loop, controls.stop, tell
        self._block = 0
        self._move: CurriculumMove | None = None  # to be made before the next iteration
        self._points = CheckpointScheduler(course, saving, controls)
        self._ending = Shutdown(course, saving, self._points, controls, viewer, tell)
        self._guard = UpdateGuard(self._loop, tell)
        self._use = TableUse(saving.table, prepared.blueprint.spec.pipeline)
        limit = 0.0 if prepared.options.debug else LINES_PER_SECOND
        orders = WorkerSettings(course.collector, limit)
        self._changes = LiveChanges(course, controls, orders, tell)
        self._debug = TrainerDebug(orders, tell, limit)
        self._debug_run = DebugRun(orders, self._debug.say) if prepared.options.debug else None
        controls.change_state = self._enter
        controls.workers = lambda: course.collector.live()
        controls.progress = self._progress
        controls.serve_saves = self._points.serve
        viewer.serve(controls)

    def run(self) -> int:
        """Train until the end; returns the exit code. Whatever ends it is told, and the last whole state is saved.

        RltuiError when the workers do not start.
        """
        try:
            self._begin()
            while not self._ended():
                self._go_on()
                self._iterate()
            return self._ending.end(*self._outcome())
        except StopNow:
            return self._ending.end_now()
        except WorkersFailing as error:
            return self._ending.end(f"stopped: {error.message}", 1)
        except NotFinite as error:
            return self._ending.end(str(error), 1)
        except RltuiError as error:
            self._fail(error.message)
            raise  # it is printed with its hint
        except Exception as error:  # a bug, a user's component, the system: a night's training is not lost to it
            self._tell(LogLine(time=time.time(), level="error", source="trainer", message=traceback.format_exc()))
            return self._fail(f"{type(error).__name__}: {error}")

    def _begin(self) -> None:
        for record in opening(self._prepared, self._course, self._loop.timesteps):
            self._tell(record)
        self._tell_notices()
        self._course.collector.start(self._controls.look)
        self._viewer.begin()
        self._points.checkpoint_once()

    def _ended(self) -> bool:
        limit = self._prepared.options.steps
        return self._stop.urgency > Urgency.NONE or (limit is not None and self._loop.timesteps >= limit)

    def _outcome(self) -> tuple[str, int]:
        """How it ends, and the exit code: 1 where not one update reached the weights, so that nothing was learned."""
        reason = f"stopped: {self._stop.reason}" if self._stop.urgency else "finished: the step limit is reached"
        if why := self._guard.nothing_learned:
            return f"failed: nothing was learned, for every update was dropped; the newest: {why}", 1
        return reason, 0

    def _iterate(self) -> None:
        """One iteration: collect, learn, tell, save."""
        started, paused, held = time.perf_counter(), self._controls.paused_seconds, self._points.held_seconds
        collected = self._collect()
        between = time.perf_counter()
        collect_seconds = between - started - (self._controls.paused_seconds - paused)
        report = self._learn(collected)
        self._debug.learned(report.metrics)
        learn_seconds = time.perf_counter() - between
        rows = collected.rows
        self._loop.timesteps += rows
        self._loop.iteration += 1
        self._guard.hear(report)
        self._points.remember(report, collected)
        self._course.learned(match_stats(collected.reports), report.metrics)
        self._move = self._next_move()
        self._save_if_due()
        save_seconds = self._points.held_seconds - held
        total = time.perf_counter() - started - (self._controls.paused_seconds - paused)
        self._report(collected, report, rows, IterationTimes(collect_seconds, learn_seconds, save_seconds, total))

    def _collect(self) -> Collected:
        self._enter("collecting")
        if self._debug_run is not None:
            self._debug_run.before()
        self._changes.before_collecting()
        shape = self._course.collector.shared.shape
        weights = self._course.learner.policy_flat()
        self._course.collector.shared.weights[:] = weights
        self._viewer.publish(weights)
        lasted = self._course.lasted(self._loop.timesteps)
        collected = self._course.collector.collect(self._block, lasted, self._controls.poll)
        self._block = (self._block + 1) % shape.blocks
        return collected

    def _learn(self, collected: Collected) -> UpdateReport:
        self._enter("learning")
        self._changes.before_learning()
        self._course.set_rates(self._loop.timesteps)
        return self._course.learner.update(collected.rollout, self._controls.look)

    def _next_move(self) -> CurriculumMove | None:
        """What the curriculum wants now that an iteration is over, or a person."""
        following = self._course.curriculum.next_phase
        if following is None:
            for command in self._controls.promotions:
                command.refused("there is no next phase: this is the last, or the profile has none")
            self._controls.promotions = []
        asked = self._controls.promotions[0].by if self._controls.promotions else ""
        return self._course.curriculum.due(self._loop.timesteps, asked)

    def _go_on(self) -> None:
        """Take up the next lesson, if one is due. What keeps its workers from starting ends the run, which is saved as it
        was.
        """
        move, self._move = self._move, None
        if move is None:
            return
        now, before = self._loop.timesteps, self._course.place
        self._enter("starting", move.reason)
        try:
            self._course.go_on(move, now, self._controls.look)
        except RltuiError as error:
            raise RltuiError(
                f"{self._course.curriculum.named(move)} cannot begin: {error.message}", error.hint
            ) from error
        self._block = 0
        self._viewer.renew()
        for record in lesson_changes(self._course, before, move.reason, now):
            self._tell(record)
        self._tell_notices()
        pending, self._controls.promotions = self._controls.promotions, []
        for command in pending:
            command.applied(f"{self._course.place.phase} begins at {now:,} timesteps")
        self._points.checkpoint()
        self._loop.rewards.clear()  # that checkpoint is still what the lesson before has made

    def _tell_notices(self) -> None:
        """What the lesson's beginning decided, and why."""
        for notice in self._course.notices:
            self._tell(LogLine(time=time.time(), level="info", source="learner", message=notice))

    def _report(self, collected: Collected, report: UpdateReport, rows: int, times: IterationTimes) -> None:
        shape = self._course.collector.shared.shape
        metrics = self._course.curriculum.metrics(self._loop.timesteps) | iteration_metrics(
            self._loop.timesteps, rows, collected.reports, report.metrics, times, shape.steps * shape.arenas
        )
        metrics |= self._course.overrides.metrics(self._course.lasted(self._loop.timesteps - rows))
        metrics |= self._use.count(collected.rollout, replaced(collected.reports))
        self._tell(
            IterationFinished(
                time=time.time(),
                iteration=self._loop.iteration,
                timesteps=self._loop.timesteps,
                metrics={key: _finite(value) for key, value in metrics.items()},
            )
        )
        if self._use.due():
            self._tell(self._use.record(self._loop.timesteps))

    def _save_if_due(self) -> None:
        move = None if self._ended() else self._move
        due = self._points.due(move)
        self._debug.due(self._loop.timesteps, due)
        if due:
            self._points.save_due(due, move)
        self._points.serve()

    def _fail(self, reason: str) -> int:
        """An update that raised has undone itself, so the state is whole; one in which nothing was learned is not kept."""
        return self._ending.end(f"failed: {reason}", 1, keep=self._loop.timesteps > self._prepared.plan.timesteps)

    def _enter(self, state: TrainerState, reason: str = "") -> None:
        """Change the state. The swing between collecting and learning is live state, not history."""
        before, self._loop.state, self._loop.reason = self._loop.state, state, reason
        if state != before and not {state, before} <= RUNNING:
            self._tell(StateChanged(time=time.time(), state=state, reason=reason))

    def _progress(self) -> float | None:
        if self._loop.state == "collecting":
            return self._course.collector.progress()
        return self._course.learner.progress if self._loop.state == "learning" else None


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else value
