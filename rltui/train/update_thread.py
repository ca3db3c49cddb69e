"""Thread that learns from one rollout while the training loop collects the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rltui.learn.ppo import PPOLearner
from rltui.learn.report import UpdateReport
from rltui.learn.rollout import Rollout

LOOK = 0.05  # seconds between looks at the controls while the update is waited for


class _Abandoned(Exception):
    """The loop has ended: the update undoes itself."""


class UpdateThread(threading.Thread):
    """One update, from `with` to its end. What ends the block early abandons it: the learner is as before, or it was over
    already, which `abandon` says.
    """

    def __init__(self, learner: PPOLearner, rollout: Rollout, threads: int) -> None:
        """threads: torch's, which every thread sets for itself."""
        super().__init__(name="update", daemon=True)
        self._learner, self._rollout, self._threads = learner, rollout, threads
        self._abandoned = threading.Event()
        self._report: UpdateReport | None = None
        self._error: BaseException | None = None
        self.seconds = 0.0

    def __enter__(self) -> UpdateThread:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._abandoned.set()
        self.join()

    def run(self) -> None:
        import torch

        torch.set_num_threads(self._threads)
        started = time.perf_counter()
        try:
            self._report = self._learner.update(self._rollout, self._check)
        except _Abandoned:
            pass
        except BaseException as error:  # raised where the result is asked for
            self._error = error
        self.seconds = time.perf_counter() - started

    def result(self, look: Callable[[], None]) -> UpdateReport:
        """Wait for the update, looking at the controls meanwhile; raises what it raised."""
        while self.is_alive():
            look()
            self.join(LOOK)
        if self._error is not None:
            raise self._error
        assert self._report is not None  # not abandoned
        return self._report

    def abandon(self) -> UpdateReport | None:
        """Have it undo itself, and wait for that; the report of one that was over already. Raises what it raised."""
        self._abandoned.set()
        self.join()
        if self._error is not None:
            raise self._error
        return self._report

    def _check(self) -> None:
        if self._abandoned.is_set():
            raise _Abandoned
