"""Orderly end of a run, and the guard that ends one whose updates are not finite."""

from __future__ import annotations

import contextlib
import time
import traceback

from rltui.errors import RltuiError, in_words
from rltui.events.records import LogLine, RunFinished, UpdateDropped
from rltui.learn.device import device_error
from rltui.learn.report import UpdateReport
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.checkpointing import CheckpointScheduler
from rltui.train.control.commands import StopNow, Urgency
from rltui.train.live_controls import LiveControls
from rltui.train.state_evaluator import StateEvaluator
from rltui.train.viewer import ViewerHost

LOOK = 0.1  # seconds between two looks at the controls while the disk is waited for
PATIENCE = 600.0  # seconds that the end of a run waits for the disk
DROPS = 3  # dropped updates in a row that stop the run


class Shutdown:
    """Ends the run: workers, last checkpoint, viewer, answers. Each way to end returns the exit code."""

    def __init__(
        self,
        loop: LoopState,
        task: ActiveTask,
        scheduler: CheckpointScheduler,
        controls: LiveControls,
        viewer: ViewerHost,
        evaluator: StateEvaluator,
    ) -> None:
        self._loop, self._task, self._writer, self._scheduler = loop, task, scheduler.writer, scheduler
        self._controls, self._stop, self._viewer, self._evaluator = controls, controls.stop, viewer, evaluator

    def end(self, reason: str, code: int, *, keep: bool = True) -> int:
        """After a whole iteration, or a failure that left a whole state. keep: whether that state is saved. Raises DeviceFailed
        where the GPU keeps it from being saved.
        """
        self._loop.enter("stopping", reason)
        self._task.collector.close()
        problem = self._save_last(keep)
        if keep and not self._writer.on_disk(self._loop.timesteps):
            lost = self._lost(problem, reason)
            code, reason = 1, f"{reason}; {lost}" if code else f"failed: {lost}; {reason}"
        self._viewer.close()
        self._evaluator.end()
        self._controls.refuse_waiting("the run has ended")
        self._controls.answer_stops(f"stopped at {self._loop.timesteps:,} timesteps")
        self._loop.enter("failed" if code else "stopped", reason)
        self._finished(code, reason)
        if problem is not None and (failed := device_error(problem)) is not None:
            raise failed from problem
        return code

    def end_now(self) -> int:
        """In the middle of an iteration: what it had so far is dropped."""
        if self._stop.urgency is not Urgency.ABANDON:
            return self.end(f"stopped: {self._stop.reason}; the unfinished iteration is dropped", 0)
        self._task.collector.kill()
        self._viewer.kill()
        self._controls.refuse_waiting("the run was abandoned")
        self._controls.answer_stops("abandoned")
        self._finished(1, "abandoned without saving")
        return 1

    def _finished(self, code: int, reason: str) -> None:
        loop = self._loop
        loop.publish(
            RunFinished(time=time.time(), elapsed=loop.elapsed, timesteps=loop.timesteps, exit_code=code, reason=reason)
        )

    def _save_last(self, keep: bool) -> Exception | None:
        """Save it, and what people asked for, and wait until all is on disk. Returns what copying the state has raised."""
        problem: Exception | None = None
        for _ in range(2):  # again where the saver failed, whose copy may be on a GPU that has failed since
            try:
                if keep:
                    self._scheduler.checkpoint_once()
                self._scheduler.serve()
            except Exception as error:  # a failed GPU, no memory: the run still ends in order
                problem = error
                message = traceback.format_exc()
                self._loop.publish(LogLine(time=time.time(), level="error", source="trainer", message=message))
            if not self._drain():
                return problem
            if problem is not None:
                break
        self._writer.close(LOOK)
        return problem

    def _lost(self, problem: Exception | None, reason: str) -> str:
        """That the last state is, why where the reason does not say so, and what there is."""
        why = "" if problem is None else failed.message if (failed := device_error(problem)) else in_words(problem)
        newest = self._writer.newest
        return (
            "the last state is not on disk"
            + (f" ({why})" if why and why not in reason else "")
            + (f"; the newest is {newest.title}" if newest is not None else "; there is no other")
        )

    def _drain(self) -> bool:
        """Wait for the disk, still polling the controls; False where it takes too long or nobody wants to wait any more."""
        deadline = time.monotonic() + PATIENCE
        while not self._writer.drain(LOOK):
            with contextlib.suppress(StopNow):  # it is being saved as fast as can be
                self._controls.look()
            if self._stop.urgency is Urgency.ABANDON or time.monotonic() > deadline:
                return False
        return True


class NotFinite(RltuiError):
    """The learner's non-finite guard dropped too many updates in a row."""


class UpdateGuard:
    """Counter of dropped updates."""

    def __init__(self, loop: LoopState) -> None:
        self._loop = loop
        self._in_a_row = 0
        self._learned, self._newest_drop = False, ""  # whether an update has reached the weights; why one did not
        self._noted: set[str] = set()

    @property
    def nothing_learned(self) -> str:
        """Why the newest update was dropped, where not one has reached the weights; else ""."""
        return "" if self._learned else self._newest_drop

    def check(self, report: UpdateReport) -> None:
        """Raises NotFinite where too many were dropped in a row."""
        if report.dropped is None:
            self._in_a_row, self._learned = 0, True
        else:
            self._count(report.dropped)
        for note in report.notes:
            self._note(note)

    def _count(self, source: str) -> None:
        self._in_a_row += 1
        self._newest_drop = source
        self._loop.publish(
            UpdateDropped(
                time=time.time(),
                iteration=self._loop.iteration,
                timesteps=self._loop.timesteps,
                source=source,
                in_a_row=self._in_a_row,
            )
        )
        if self._in_a_row >= DROPS:
            raise NotFinite(f"stopped: {DROPS} updates in a row were not finite; the newest: {source}")

    def _note(self, note: str) -> None:
        """What a user should know, once each."""
        if note not in self._noted:
            self._noted.add(note)
            self._loop.publish(LogLine(time=time.time(), level="warning", source="learner", message=note))
