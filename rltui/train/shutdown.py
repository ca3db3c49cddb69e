"""Orderly end; dropped-update guard."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from rltui.errors import RltuiError
from rltui.events.records import LogLine, Record, RunFinished, TrainerState, UpdateDropped
from rltui.learn.report import UpdateReport
from rltui.train.active_task import ActiveTask
from rltui.train.checkpointing import CheckpointScheduler, CheckpointWriter
from rltui.train.control.commands import LiveControls, LoopState, StopNow, Urgency
from rltui.train.viewer import ViewerHost

LOOK = 0.1  # seconds between two looks at the controls while the disk is waited for
PATIENCE = 600.0  # seconds that the end of a run waits for the disk


class Shutdown:
    """Each way to end returns the exit code. tell: records for the journal."""

    def __init__(
        self,
        course: ActiveTask,
        saving: CheckpointWriter,
        points: CheckpointScheduler,
        controls: LiveControls,
        viewer: ViewerHost,
        tell: Callable[[Record], None],
    ) -> None:
        self._course, self._saving, self._points, self._viewer = course, saving, points, viewer
        self._controls, self._loop, self._stop, self._tell = controls, controls.loop, controls.stop, tell

    def end(self, reason: str, code: int, *, keep: bool = True) -> int:
        """After a whole iteration, or a failure that left a whole state. keep: whether that state is saved."""
        self._enter("stopping", reason)
        self._course.collector.close()
        if keep:
            self._points.checkpoint_once()
        self._points.serve()
        if not self._drain() or self._saving.failures:
            code = code or (0 if self._saving.on_disk(self._loop.timesteps) else 1)
        self._viewer.close()
        self._controls.refuse_waiting("the run has ended")
        self._controls.answer_stops(f"stopped at {self._loop.timesteps:,} timesteps")
        self._enter("failed" if code else "stopped", reason)
        self._finished(code, reason)
        return code

    def end_now(self) -> int:
        """In the middle of an iteration: what it had so far is dropped."""
        if self._stop.urgency is not Urgency.ABANDON:
            return self.end(f"stopped: {self._stop.reason}; the unfinished iteration is dropped", 0)
        self._course.collector.kill()
        self._viewer.kill()
        self._controls.refuse_waiting("the run was abandoned")
        self._controls.answer_stops("abandoned")
        self._finished(1, "abandoned without saving")
        return 1

    def _enter(self, state: TrainerState, reason: str) -> None:
        self._controls.change_state(state, reason)

    def _finished(self, code: int, reason: str) -> None:
        self._tell(RunFinished(time=time.time(), timesteps=self._loop.timesteps, exit_code=code, reason=reason))

    def _drain(self) -> bool:
        """Wait for the disk, still listening. False when it takes too long, or nobody wants to wait any more."""
        deadline = time.monotonic() + PATIENCE
        while not self._saving.drain(LOOK):
            with contextlib.suppress(StopNow):  # it is being saved as fast as can be
                self._controls.look()
            if self._stop.urgency is Urgency.ABANDON or time.monotonic() > deadline:
                return False
        return self._saving.close(LOOK)


DROPS = 3  # dropped updates in a row that stop the run


class NotFinite(RltuiError):
    """The learner's non-finite guard dropped too many updates in a row."""


class UpdateGuard:
    """tell: records for the journal."""

    def __init__(self, loop: LoopState, tell: Callable[[Record], None]) -> None:
        self._loop, self._tell = loop, tell
        self._in_a_row = 0
        self._learned, self._newest_drop = False, ""  # whether an update has reached the weights; why one did not
        self._noted: set[str] = set()

    @property
    def nothing_learned(self) -> str:
        """Why the newest update was dropped, where not one has reached the weights; else ""."""
        return "" if self._learned else self._newest_drop

    def hear(self, report: UpdateReport) -> None:
        """Raises NotFinite."""
        if report.dropped is None:
            self._in_a_row, self._learned = 0, True
        else:
            self._count(report.dropped)
        for note in report.notes:
            self._note(note)

    def _count(self, source: str) -> None:
        self._in_a_row += 1
        self._newest_drop = source
        self._tell(
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
            self._tell(LogLine(time=time.time(), level="warning", source="learner", message=note))
