"""In the place of supervise.launch.detached: remembers what was asked for, and starts nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs.launch_plan import LaunchPlan
from rltui.supervise.launch import LaunchedTrainer
from rltui.supervise.processes import ManagedProcess
from tests.fakes.patience import patience


def a_trainer(run: str) -> LaunchedTrainer:
    """One that says it has started."""
    return LaunchedTrainer(run, 4242, ManagedProcess("trainer", [], Path("trainer.log")))


class Launches:
    """A trainer starts, or the error comes: at once, or when the test lets it `go`."""

    def __init__(self, fails: RltuiError | None = None, *, waits: bool = False) -> None:
        self.plans: list[LaunchPlan] = []
        self.fails = fails
        self.go = threading.Event()
        if not waits:
            self.go.set()

    def __call__(self, plan: LaunchPlan) -> LaunchedTrainer:
        self.plans.append(plan)
        assert self.go.wait(patience(15))
        if self.fails is not None:
            raise self.fails
        return a_trainer(plan.run or "?")
