"""Trainer: the loop. Collect, learn, tell, save, until the limit or until somebody says stop."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable

import numpy as np

from rltui.errors import RltuiError
from rltui.events.commands import SaveMilestone
from rltui.events.records import (
    IterationFinished,
    LogLine,
    Record,
    RunFinished,
    RunResumed,
    StateChanged,
    TrainerState,
    UpdateDropped,
)
from rltui.learn.checkpoint_files import Progress
from rltui.learn.report import UpdateReport
from rltui.learn.state import LearnerSnapshot
from rltui.runs.checkpoint import is_complete
from rltui.runs.saver import Kind, SaveResult
from rltui.train.collectors import Collected
from rltui.train.course import Course
from rltui.train.curriculum import Move
from rltui.train.curriculum_plan import curriculum_planned
from rltui.train.debug_lines import TrainerDebug
from rltui.train.debug_run import DebugRun
from rltui.train.header import lesson_changes, run_started
from rltui.train.iteration_report import IterationTimes, iteration_metrics, match_stats, mean_reward
from rltui.train.live_changes import LiveChanges
from rltui.train.live_controls import LiveControls, Pending
from rltui.train.orders import LINES_PER_SECOND, Orders
from rltui.train.preparation import Prepared
from rltui.train.saving import SavedFigures, Saving
from rltui.train.stop_request import StopNow, Urgency
from rltui.train.table_use import TableUse, replaced
from rltui.train.viewer_host import ViewerHost
from rltui.train.worker_pool import WorkersFailing

RUNNING = {"collecting", "learning"}
DROPS = 3  # dropped updates in a row that stop the run
SAVE_LOOK = 0.1  # seconds between two looks at the controls meanwhile
SAVE_PATIENCE = 600.0  # seconds the end of a run waits for the disk


class Trainer:
    """One run, from its first iteration to its last. Built by `train.session`."""

    def __init__(
        self,
        prepared: Prepared,
        course: Course,
        saving: Saving,
        controls: LiveControls,
        viewer: ViewerHost,
        tell: Callable[[Record], None],
    ) -> None:
        self._prepared, self._course, self._viewer = prepared, course, viewer
        self._saving, self._controls, self._tell = saving, controls, tell
        self._loop, self._stop, self._paths = controls.loop, controls.stop, prepared.paths
        self._block = 0
        self._move: Move | None = None  # to be made before the next iteration
        self._figures = SavedFigures(mean_reward=self._loop.mean_reward)
        self._use = TableUse(saving.table, prepared.blueprint.spec.pipeline)
        limit = 0.0 if prepared.options.debug else LINES_PER_SECOND
        orders = Orders(course.collector, limit)
        self._changes = LiveChanges(course, controls, orders, tell)
        self._debug = TrainerDebug(orders, tell, limit)
        self._debug_run = DebugRun(orders, self._debug.say) if prepared.options.debug else None
        self._drops = 0
        self._learned, self._newest_drop = False, ""  # whether an update has reached the weights; why one did not
        self._noted: set[str] = set()
        controls.change_state = self._enter
        controls.workers = lambda: course.collector.live()
        controls.progress = self._progress
        controls.serve_saves = self._serve_saves
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
            return self._end(*self._ending())
        except StopNow:
            return self._end_now()
        except WorkersFailing as error:
            return self._end(f"stopped: {error.message}", 1)
        except _NotFinite as error:
            return self._end(str(error), 1)
        except RltuiError as error:
            self._fail(error.message)
            raise  # it is printed with its hint
        except Exception as error:  # a bug, a user's component, the system: a night's training is not lost to it
            self._tell(LogLine(time=time.time(), level="error", source="trainer", message=traceback.format_exc()))
            return self._fail(f"{type(error).__name__}: {error}")

    def _begin(self) -> None:
        self._announce()
        self._course.collector.start(self._controls.look)
        self._viewer.begin()
        if not self._saving.saved(self._loop.timesteps):
            self._save([("checkpoint", str(self._loop.timesteps))])

    def _ended(self) -> bool:
        limit = self._prepared.options.steps
        return self._stop.urgency > Urgency.NONE or (limit is not None and self._loop.timesteps >= limit)

    def _ending(self) -> tuple[str, int]:
        """How it ends, and the exit code: 1 where not one update reached the weights, so that nothing was learned."""
        reason = f"stopped: {self._stop.reason}" if self._stop.urgency else "finished: the step limit is reached"
        if self._newest_drop and not self._learned:
            return f"failed: nothing was learned, for every update was dropped; the newest: {self._newest_drop}", 1
        return reason, 0

    def _iterate(self) -> None:
        """One iteration: collect, learn, tell, save."""
        started, paused, held = time.perf_counter(), self._controls.paused_seconds, self._saving.held_seconds
        collected = self._collect()
        between = time.perf_counter()
        collect_seconds = between - started - (self._controls.paused_seconds - paused)
        report = self._learn(collected)
        self._debug.learned(report.metrics)
        learn_seconds = time.perf_counter() - between
        rows = collected.rows
        self._loop.timesteps += rows
        self._loop.iteration += 1
        self._guard(report)
        self._note(report)
        self._remember(report, collected)
        self._course.learned(match_stats(collected.reports), report.metrics)
        self._move = self._next_move()
        self._save_if_due()
        save_seconds = self._saving.held_seconds - held
        total = time.perf_counter() - started - (self._controls.paused_seconds - paused)
        self._report(collected, report, rows, IterationTimes(collect_seconds, learn_seconds, save_seconds, total))

    def _collect(self) -> Collected:
        self._enter("collecting")
        if self._debug_run is not None:
            self._debug_run.before()
        self._changes.before_collecting()
        shape = self._course.collector.shared.shape
        self._course.collector.shared.weights[:] = self._course.learner.policy_flat()
        self._viewer.publish()
        lasted = self._course.lasted(self._loop.timesteps)
        collected = self._course.collector.collect(self._block, lasted, self._controls.poll)
        self._block = (self._block + 1) % shape.blocks
        return collected

    def _learn(self, collected: Collected) -> UpdateReport:
        self._enter("learning")
        self._changes.before_learning()
        self._course.set_rates(self._loop.timesteps)
        return self._course.learner.update(collected.rollout, self._controls.look)

    def _next_move(self) -> Move | None:
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
        self._save([("checkpoint", str(now))])

    def _tell_notices(self) -> None:
        """What the lesson's beginning decided, and why."""
        for notice in self._course.notices:
            self._tell(LogLine(time=time.time(), level="info", source="learner", message=notice))

    def _guard(self, report: UpdateReport) -> None:
        """Count updates that the non-finite guard dropped; too many in a row end the run."""
        self._drops = self._drops + 1 if report.dropped else 0
        if report.dropped is None:
            self._learned = True
            return
        self._newest_drop = report.dropped
        self._tell(
            UpdateDropped(
                time=time.time(),
                iteration=self._loop.iteration,
                timesteps=self._loop.timesteps,
                source=report.dropped,
                in_a_row=self._drops,
            )
        )
        if self._drops >= DROPS:
            raise _NotFinite(f"stopped: {DROPS} updates in a row were not finite; the newest: {report.dropped}")

    def _note(self, report: UpdateReport) -> None:
        """What a user should know of the update, once each."""
        for note in report.notes:
            if note not in self._noted:
                self._noted.add(note)
                self._tell(LogLine(time=time.time(), level="warning", source="learner", message=note))

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

    def _remember(self, report: UpdateReport, collected: Collected) -> None:
        """The figures that the next checkpoint carries; unknown ones keep their last value."""
        reward = mean_reward(match_stats(collected.reports))
        self._figures = SavedFigures(
            mean_reward=self._figures.mean_reward if reward is None else reward,
            entropy=report.metrics.get("train/entropy", self._figures.entropy),
            approx_kl=report.metrics.get("train/approx_kl", self._figures.approx_kl),
        )

    def _save_if_due(self) -> None:
        due = self._due()
        self._debug.due(self._loop.timesteps, due)
        if due:
            self._save(due)
        self._serve_saves()

    def _due(self) -> list[tuple[Kind, str]]:
        """What the clocks ask for. At the end of a phase also a milestone, which is the phase's; the checkpoint waits for
        the lesson to come, unless the run ends here.
        """
        due = self._saving.due(self._loop.timesteps)
        if self._move is None or self._ended():
            return due
        due = [(kind, label) for kind, label in due if kind == "milestone"]
        if not due and self._move.phase != self._course.curriculum.phase:
            due = [("milestone", self._saving.manual_label(self._loop.timesteps))]
        return due

    def _serve_saves(self) -> None:
        """Do what people asked for by command; each is answered once it is on disk."""
        pending, self._controls.saves = self._controls.saves, []
        for command in pending:
            milestone = isinstance(command.command, SaveMilestone)
            kind: Kind = "milestone" if milestone else "checkpoint"
            timesteps = self._loop.timesteps
            label = self._saving.manual_label(timesteps) if milestone else str(timesteps)
            self._save([(kind, label)], _answer(command))

    def _save(self, wanted: list[tuple[Kind, str]], then: Callable[[SaveResult], None] | None = None) -> None:
        self._saving.save(wanted, self._snapshot, self._loop.timesteps, self._figures, then)

    def _snapshot(self) -> LearnerSnapshot:
        """The learner's state with rlgym-ppo's own counters."""
        return self._course.learner.snapshot(
            Progress(
                cumulative_timesteps=self._loop.timesteps,
                policy_average_reward=self._figures.mean_reward,
                epoch=self._loop.iteration,
            )
        )

    def _fail(self, reason: str) -> int:
        """An update that raised has undone itself, so the state is whole; one in which nothing was learned is not kept."""
        return self._end(f"failed: {reason}", 1, keep=self._loop.timesteps > self._prepared.plan.timesteps)

    def _end(self, reason: str, code: int, keep: bool = True) -> int:
        """Save the last whole state, close everything, say how it ended."""
        self._enter("stopping", reason)
        self._course.collector.close()
        if keep and not self._saving.saved(self._loop.timesteps):
            self._save([("checkpoint", str(self._loop.timesteps))])
        self._serve_saves()
        if not self._drain() or self._saving.failures:
            code = code or self._check_saved()
        self._viewer.close()
        self._controls.refuse_waiting("the run has ended")
        self._controls.answer_stops(f"stopped at {self._loop.timesteps:,} timesteps")
        self._enter("failed" if code else "stopped", reason)
        self._tell(RunFinished(time=time.time(), timesteps=self._loop.timesteps, exit_code=code, reason=reason))
        return code

    def _drain(self) -> bool:
        """Wait for the disk, still listening. False when it takes too long, or nobody wants to wait any more."""
        deadline = time.monotonic() + SAVE_PATIENCE
        while not self._saving.drain(SAVE_LOOK):
            with contextlib.suppress(StopNow):  # it is being saved as fast as can be
                self._controls.look()
            if self._stop.urgency is Urgency.ABANDON or time.monotonic() > deadline:
                return False
        return self._saving.close(SAVE_LOOK)

    def _end_now(self) -> int:
        """Stop in the middle of an iteration: what it had so far is dropped."""
        if self._stop.urgency is not Urgency.ABANDON:
            return self._end(f"stopped: {self._stop.reason}; the unfinished iteration is dropped", 0)
        self._course.collector.kill()
        self._viewer.kill()
        self._controls.refuse_waiting("the run was abandoned")
        self._controls.answer_stops("abandoned")
        self._tell(
            RunFinished(
                time=time.time(), timesteps=self._loop.timesteps, exit_code=1, reason="abandoned without saving"
            )
        )
        return 1

    def _check_saved(self) -> int:
        """1 when the final state is not on disk."""
        return 0 if is_complete(self._paths.checkpoint(self._loop.timesteps)) else 1

    def _enter(self, state: TrainerState, reason: str = "") -> None:
        """Change the state. The swing between collecting and learning is live state, not history."""
        before, self._loop.state, self._loop.reason = self._loop.state, state, reason
        if state != before and not {state, before} <= RUNNING:
            self._tell(StateChanged(time=time.time(), state=state, reason=reason))

    def _progress(self) -> float | None:
        if self._loop.state == "collecting":
            return self._course.collector.progress()
        return self._course.learner.progress if self._loop.state == "learning" else None

    def _announce(self) -> None:
        """The header of this start, and the resume if it is one."""
        self._tell(run_started(self._prepared, self._course, self._loop.timesteps))
        plan = self._prepared.plan
        now = time.time()
        if plan.rewind:
            self._tell(
                RunResumed(
                    time=now, timesteps=plan.timesteps, checkpoint=str(plan.checkpoint or ""), reason=plan.reason
                )
            )
        self._tell(LogLine(time=now, level="info", source="runs", message=plan.reason))
        for warning in plan.warnings:
            self._tell(LogLine(time=now, level="warning", source="runs", message=warning))
        for warning in self._prepared.table_warnings:
            self._tell(LogLine(time=now, level="warning", source="lut", message=warning))
        self._tell(curriculum_planned(self._prepared.profile, plan.timesteps))
        self._tell_notices()


class _NotFinite(RltuiError):
    """The guard dropped too many updates in a row."""


def _answer(command: Pending) -> Callable[[SaveResult], None]:
    def then(result: SaveResult) -> None:
        if result.outcome in ("saved", "present"):
            command.applied(f"{result.kind} {result.label} is at {result.path}")
        else:
            command.refused(result.reason or "a newer one was asked for")

    return then


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else value
