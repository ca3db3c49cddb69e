"""The cockpit on a run with everything that the panes of figures show: table, turtles, curriculum, machine, workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import msgspec
from textual.pilot import Pilot

from rltui.tui.checks.results import TableChecker, TableVerdict
from tests.fakes import figure_stories, run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.fake_sampler import FakeSampler
from tests.fakes.screens import NOW, cockpit


class Tables:
    """The child: profile's table, and the checkpoint's."""

    def __init__(self, profile: TableVerdict, checkpoint: TableVerdict | None = None) -> None:
        self._profile, self._checkpoint = profile, checkpoint or profile
        self.asked: list[str] = []

    def __call__(self, command: Sequence[str]) -> bytes:
        self.asked.append(command[4])
        return msgspec.json.encode(self._profile if command[4].endswith("run.toml") else self._checkpoint)


def opened(
    run: FakeRun, size: tuple[int, int] = (120, 40), tables: Tables | None = None, ascii_only: bool = False
) -> AbstractAsyncContextManager[Pilot[str]]:
    child = tables or Tables(figure_stories.verdict())
    return cockpit(run, size, ascii_only=ascii_only, tables=TableChecker(child), sampler=FakeSampler)


def rich_run() -> FakeRun:
    """Everything that these panes show."""
    control = FakeControl()
    control.say(run_story.live(NOW - 0.1, timesteps=640 * run_story.STEPS, iteration=641))
    turtled = [figure_stories.turtled(index, 10, 8, 1) for index in range(608, 640)]
    records = [figure_stories.plan(), *turtled, figure_stories.on_the_way(640, 62.0), figure_stories.table_used()]
    return FakeRun([*run_story.told(), *records], control=control)
