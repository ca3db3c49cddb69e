"""The cockpit with the focus on its charts, and other runs to compare with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from textual.pilot import Pilot

from rltui.events.records import Record
from rltui.run_state.other_run import RunBrief
from rltui.tui.panes.metrics import MetricsPane
from tests.fakes import run_story
from tests.fakes.fake_run import FakeJournal
from tests.fakes.screens import cockpit, cockpit_of, live_run, until


class Runs:
    """Two other runs; gone: the data folder cannot be read."""

    gone = False

    def names(self) -> list[str]:
        if self.gone:
            raise OSError(5, "Input/output error")
        return ["alpha", "beta", "gamma"]

    def brief(self, name: str) -> RunBrief:
        return RunBrief(name, "stopped", f"profile-of-{name}", 300 * run_story.STEPS, run_story.now_of() - 7200)

    def journal(self, name: str) -> FakeJournal:
        rows: list[Record] = []
        for index in range(1, 301 if name == "beta" else 2):
            row = run_story.iteration(index)
            rows.append(msgspec.structs.replace(row, metrics={**row.metrics, "rollout/policy_reward": 7.0}))
        return FakeJournal(rows)


@asynccontextmanager
async def charts(
    size: tuple[int, int] = (120, 40), runs: Runs | None = None
) -> AsyncIterator[tuple[Pilot[str], MetricsPane]]:
    """The cockpit with the focus on the charts of 607 iterations."""
    async with cockpit(live_run(), size, other_runs=runs or Runs()) as pilot:
        screen = cockpit_of(pilot)
        await until(pilot, lambda: screen.snapshot.history.length == 607)
        await pilot.press("1")
        pane = screen.query_one(MetricsPane)
        await until(pilot, lambda: pane.has_focus and bool(pane.cells))
        yield pilot, pane
