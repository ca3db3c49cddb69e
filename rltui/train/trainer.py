"""Training loop of one run: collect, learn, publish, save; the next task when it is due; the end."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

import numpy as np

from rltui.errors import RltuiError
from rltui.events import metric_keys
from rltui.events.commands import NextPhase
from rltui.events.records import IterationFinished, Level, LogLine
from rltui.learn.device import DeviceFailed, device_error
from rltui.learn.report import UpdateReport
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.checkpointing import CheckpointScheduler, CheckpointWriter
from rltui.train.collect.collector import Collected
from rltui.train.collect.worker_pool import WorkersFailing
from rltui.train.collect.worker_settings import DebugRun, TrainerDebug
from rltui.train.control.commands import StopNow, StopRequest, Urgency
from rltui.train.control.server import ControlServer
from rltui.train.curriculum import CurriculumMove
from rltui.train.header import opening, task_changes
from rltui.train.iteration_metrics import (
    IterationTimes,
    TableUse,
    collected_metrics,
    match_stats,
    replaced,
    time_metrics,
)
from rltui.train.live_controls import LiveControls, LiveSettings, LoopView
from rltui.train.selfplay import SelfPlay
from rltui.train.shutdown import NotFinite, Shutdown, UpdateGuard
from rltui.train.state_evaluator import StateEvaluator
from rltui.train.update_thread import UpdateThread
from rltui.train.viewer import ViewerHost


class Trainer:
    """One run, from its first iteration to its last. Built by `train.session`."""

    def __init__(
        self,
        loop: LoopState,
        task: ActiveTask,
        viewer: ViewerHost,
        evaluator: StateEvaluator,
        server: ControlServer,
        stop: StopRequest,
    ) -> None:
        context = task.context
        self._context, self._loop, self._task, self._viewer, self._stop = context, loop, task, viewer, stop
        self._evaluator, self._queue = evaluator, server.commands
        self._block = 0
        self._move: CurriculumMove | None = None  # to be made before the next iteration
        self._ahead: Collected | None = None  # collected, not yet learned from
        self._cut_by: BaseException | None = None  # what ended the collecting beside an update that was over already
        self._settings = LiveSettings(self._queue, loop, task)
        writer = CheckpointWriter(task, loop.publish, evaluator)
        self._scheduler = CheckpointScheduler(loop, task, writer, self._queue)
        view = LoopView(loop, task, viewer, evaluator)
        self._controls = LiveControls(server, stop, self._settings, self._serve_paused, view)
        self._shutdown = Shutdown(loop, task, self._scheduler, self._controls, viewer, evaluator)
        self._guard = UpdateGuard(loop)
        self._selfplay = SelfPlay(context.paths, context.config.profile.run.seed, task, self._say_selfplay)
        self._usage = TableUse(writer.table, context.config.spec.pipeline)
        self._debug = TrainerDebug(task.settings, loop.publish)
        self._debug_run = DebugRun(task.settings, self._debug) if context.options.debug else None

    def run(self) -> int:
        """Train until the end; returns the exit code. Whatever ends it is published, and the last whole state is saved.

        RltuiError when the workers do not start.
        """
        try:
            self._begin()
            while not self._ended():
                self._begin_next_task()
                self._iterate()
        except StopNow:
            return self._shutdown.end_now()
        except WorkersFailing as error:
            return self._shutdown.end(f"stopped: {error.message}", 1)
        except NotFinite as error:
            return self._shutdown.end(str(error), 1)
        except RltuiError as error:
            self._fail(error.message)
            raise  # it is printed with its hint
        except Exception as error:  # a bug, a user's component, the system: a night's training is not lost to it
            self._loop.publish(
                LogLine(time=time.time(), level="error", source="trainer", message=traceback.format_exc())
            )
            if (failed := device_error(error)) is not None:
                self._fail(failed.message)
                raise failed from error
            return self._fail(f"{type(error).__name__}: {error}")
        return self._shutdown.end(*self._outcome())

    def _begin(self) -> None:
        for record in opening(self._task, self._loop):
            self._loop.publish(record)
        self._publish_notices()
        self._task.collector.start(self._controls.look)
        self._viewer.begin()
        self._evaluator.begin(self._loop.timesteps)
        self._scheduler.checkpoint_once()

    def _serve_paused(self) -> None:
        """What goes on in a pause."""
        self._scheduler.serve()
        self._hear_evaluation()

    def _hear_evaluation(self) -> None:
        if (evaluated := self._evaluator.poll()) is not None:
            self._task.hear(evaluated)

    def _ended(self) -> bool:
        limit = self._context.options.steps
        return self._stop.urgency > Urgency.NONE or (limit is not None and self._loop.timesteps >= limit)

    def _outcome(self) -> tuple[str, int]:
        """How it ends, and the exit code: 1 where not one update reached the weights, so that nothing was learned."""
        reason = f"stopped: {self._stop.reason}" if self._stop.urgency else "finished: the step limit is reached"
        if why := self._guard.nothing_learned:
            return f"failed: every update was dropped; the newest: {why}", 1
        return reason, 0

    def _iterate(self) -> None:
        """One iteration: collect, learn, save, publish."""
        started, paused, held = time.perf_counter(), self._controls.paused_seconds, self._scheduler.held_seconds
        if self._task.config.profile.collect.overlap:
            collected, report, collect_seconds, learn_seconds = self._overlapped()
        else:
            collected = self._collect(self._controls.poll)
            between = time.perf_counter()
            collect_seconds = between - started - (self._controls.paused_seconds - paused)
            report = self._learn(collected)
            learn_seconds = time.perf_counter() - between
        self._debug.learned(report.metrics)
        rows = collected.rows
        self._loop.timesteps += rows
        self._loop.iteration += 1
        self._guard.check(report)
        self._scheduler.remember(report, collected)
        self._hear_evaluation()
        self._task.learned(match_stats(collected.reports), report.metrics)
        self._selfplay.learned(collected.reports)
        self._move = self._next_move()
        self._save_if_due()
        save_seconds = self._scheduler.held_seconds - held
        total = time.perf_counter() - started - (self._controls.paused_seconds - paused)
        self._report(collected, report, rows, IterationTimes(collect_seconds, learn_seconds, save_seconds, total))
        if self._cut_by is not None:
            raise self._cut_by

    def _collect(self, poll: Callable[[], None]) -> Collected:
        self._loop.enter("collecting")
        self._begin_rollout()
        return self._fill(poll)

    def _begin_rollout(self) -> None:
        """With the settings and weights of now."""
        if self._debug_run is not None:
            self._debug_run.before_collecting()
        self._settings.before_collecting()
        self._selfplay.before_collecting(self._loop.timesteps)
        self._task.collector.set_policy(self._task.learner)
        self._viewer.publish(self._task.learner)

    def _fill(self, poll: Callable[[], None], uncounted: int = 0) -> Collected:
        """uncounted: timesteps of an iteration that is still learned from."""
        lasted = self._task.phase_timesteps(self._loop.timesteps + uncounted)
        collected = self._task.collector.collect(self._block, lasted, poll)
        self._block = (self._block + 1) % self._task.collector.shared.shape.blocks
        return collected

    def _learn(self, collected: Collected) -> UpdateReport:
        self._loop.enter("learning")
        self._begin_update()
        return self._task.learner.update(collected.rollout, self._controls.look)

    def _begin_update(self) -> None:
        """With the settings of now."""
        self._settings.before_learning()
        self._task.set_rates(self._loop.timesteps)

    def _overlapped(self) -> tuple[Collected, UpdateReport, float, float]:
        """Learn from what was collected before while the workers collect for the next iteration, with the weights from before
        the update. Also the seconds of collecting and of learning. What ends the collecting after the update is in `_cut_by`.

        It holds for a pause only before both: what is saved meanwhile is then a whole state, of the timesteps counted.
        """
        self._controls.poll()
        look = self._controls.look
        before = self._ahead if self._ahead is not None else self._collect(look)
        self._ahead = None
        self._loop.enter("collecting")
        self._begin_rollout()
        self._begin_update()
        started = time.perf_counter()
        with UpdateThread(self._task.learner, before.rollout, self._task.config.threads) as update:
            try:
                self._ahead = self._fill(look, before.rows)
                seconds = time.perf_counter() - started
                return before, update.result(look), seconds, update.seconds
            except BaseException as error:  # a stop too
                report = update.abandon()
                if report is None:
                    raise
                self._cut_by = error  # raised once this iteration, which is whole, is counted
                return before, report, time.perf_counter() - started, update.seconds

    def _next_move(self) -> CurriculumMove | None:
        """The move that the curriculum makes now that an iteration is over, or that a command asks for."""
        following = self._task.curriculum.next_phase
        if following is None:
            for pending in self._queue.take(NextPhase):
                pending.refused("no next phase")
        asked = self._queue.waiting(NextPhase)  # answered when that phase begins
        return self._task.curriculum.due(self._loop.timesteps, asked[0].by if asked else "")

    def _begin_next_task(self) -> None:
        """If one is due. What keeps its workers from starting ends the run, which is saved as it was."""
        move, self._move = self._move, None
        if move is None:
            return
        self._ahead = None
        now, before = self._loop.timesteps, self._task.place
        self._loop.enter("starting", move.reason)
        try:
            self._task.go_on(move, now, self._controls.look)
        except DeviceFailed:
            raise
        except RltuiError as error:
            raise RltuiError(
                f"{self._task.curriculum.named(move)} cannot begin: {error.message}", error.hint
            ) from error
        self._block = 0
        self._viewer.renew()
        for record in task_changes(self._task, before, move.reason, now):
            self._loop.publish(record)
        self._publish_notices()
        for pending in self._queue.take(NextPhase):
            pending.applied(f"{self._task.place.phase} begins at {now:,} timesteps")
        self._scheduler.checkpoint()
        self._loop.rewards.clear()  # that checkpoint is still what the task before has made

    def _publish_notices(self) -> None:
        """What the task's beginning decided, and why."""
        for notice in self._task.notices:
            self._loop.publish(LogLine(time=time.time(), level="info", source="learner", message=notice))

    def _say_selfplay(self, level: Level, message: str) -> None:
        self._loop.publish(LogLine(time=time.time(), level=level, source="selfplay", message=message))

    def _report(self, collected: Collected, report: UpdateReport, rows: int, times: IterationTimes) -> None:
        shape = self._task.collector.shared.shape
        metrics = self._task.curriculum.metrics(self._loop.timesteps)
        metrics |= collected_metrics(self._loop.timesteps, collected.reports)
        metrics |= self._selfplay.metrics()
        metrics |= report.metrics
        metrics[metric_keys.POLICY_LAG] = float(self._task.config.profile.collect.overlap)
        metrics |= time_metrics(rows, collected.reports, times, shape)
        metrics |= self._task.overrides.metrics(self._task.phase_timesteps(self._loop.timesteps - rows))
        metrics |= self._task.evaluated.metrics() if self._task.evaluated is not None else {}
        metrics |= self._usage.count(collected.rollout, replaced(collected.reports))
        self._loop.publish(
            IterationFinished(
                time=time.time(),
                elapsed=self._loop.elapsed,
                iteration=self._loop.iteration,
                timesteps=self._loop.timesteps,
                metrics={key: _finite(value) for key, value in metrics.items()},
            )
        )
        if self._usage.due():
            self._loop.publish(self._usage.record(self._loop.timesteps))
        if (pool := self._selfplay.record(self._loop.timesteps)) is not None:
            self._loop.publish(pool)

    def _save_if_due(self) -> None:
        move = None if self._ended() else self._move
        due = self._scheduler.due(move)
        self._debug.due(self._loop.timesteps, due)
        if due:
            self._scheduler.save_due(due, move)
        self._scheduler.serve()

    def _fail(self, reason: str) -> int:
        """An update that raised has undone itself, so the state is whole; one in which nothing was learned is not kept."""
        return self._shutdown.end(f"failed: {reason}", 1, keep=self._loop.timesteps > self._context.plan.timesteps)


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else value
