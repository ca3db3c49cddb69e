"""A run beside another: both by their timesteps, and where the shorter one ends."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.ascii import ChartStyle
from rltui.tui.capture import screen_text
from tests.fakes import data_folder, run_story
from tests.fakes.browsed import browser, browser_of, go_to
from tests.fakes.charted import Runs, charts
from tests.fakes.fake_run import FakeJournal
from tests.fakes.screens import LAUNCHER_NOW, until, until_shown


@asynccontextmanager
async def two_marked(data: DataDir, *, delta: int, alpha: int) -> AsyncIterator[Pilot[str]]:
    """The browser with the newest checkpoints of two runs marked, after so many iterations of each."""
    data_folder.make_stopped(data, "alpha", iterations=alpha, time=LAUNCHER_NOW - 180)
    data_folder.make_stopped(data, "delta", iterations=delta, time=LAUNCHER_NOW - 900)
    async with browser(data, (120, 50)) as pilot:
        for run, iterations in (("delta", delta), ("alpha", alpha)):
            await go_to(pilot, data.run(run).checkpoint(iterations * run_story.STEPS))
            await pilot.press("space")
        yield pilot


async def test_two_states_of_two_runs_have_both_curves_over_all_timesteps(data: DataDir) -> None:
    async with two_marked(data, delta=12, alpha=56) as pilot:
        screen = browser_of(pilot)
        styles: tuple[ChartStyle, ...] = ("blocks", "braille")
        for style in styles:
            screen._dependencies = replace(screen._dependencies, charts=style)
            await pilot.press("equals_sign")
            text = await until_shown(pilot, "delta reaches 246 k timesteps")
            assert "━ alpha  ╍ delta" in text
            assert " 1.15 M" in text and text.count("╎") > 5
            assert bool(re.search("[\u2801-\u28ff]", text)) == (style == "braille")
            await pilot.press("escape")
            await until(pilot, lambda: pilot.app.screen is screen)


async def test_the_charts_show_all_of_both_runs() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("right_square_bracket")  # beta, nearly half as long
        await until(pilot, lambda: pane.comparison.run is not None and pane.comparison.run.history.length == 300)
        text = await until_shown(pilot, "beta reaches")
        assert pane.charting.window is None and "╎" in text
        await pilot.press("plus")
        assert pane.charting.window is not None
        await pilot.press("left_square_bracket")
        assert pane.charting.window is not None  # what was zoomed to stays
        await pilot.press("w")
        assert pane.charting.window is None


async def test_a_comparison_begins_in_any_pane_and_ends_by_esc_or_by_choosing_none() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("2")
        await until(pilot, lambda: not pane.has_focus)
        await pilot.press("equals_sign")
        await until_shown(pilot, "Compare with")
        assert pane.has_focus
        await pilot.press("enter")
        await until(pilot, lambda: pane.comparison.run is not None and pane.comparison.run.name == "beta")
        await pilot.press("escape")
        await until(pilot, lambda: pane.comparison.run is None)
        await pilot.press("left_square_bracket", "equals_sign")
        await until_shown(pilot, "none: this run alone")
        await pilot.press("enter")
        await until(pilot, lambda: pane.comparison.run is None)
        await pilot.press("left_square_bracket")
        await until_shown(pilot, "gamma")
        await pilot.press("slash", *"entropy", "enter", "escape")  # the filter first
        assert pane.comparison.run is not None and not pane.charting.pattern.text
        await pilot.press("escape")
        assert pane.comparison.run is None
        await until(pilot, lambda: "gamma" not in screen_text(pilot.app.screen))
        await pilot.press("escape")
        await until(pilot, lambda: any("nothing to close" in one.message for one in pilot.app._notifications))


async def test_runs_that_are_paid_differently_are_said_to_be() -> None:
    class Otherwise(Runs):
        def journal(self, name: str) -> FakeJournal:
            row = run_story.iteration(1)
            return FakeJournal([msgspec.structs.replace(row, metrics={**row.metrics, "weight/touch": 7.0})])

    async with charts(runs=Otherwise()) as (pilot, _):
        await pilot.press("left_square_bracket")
        await until_shown(pilot, "▲ rewards not comparable: touch")
        await pilot.press("escape")
        await until(pilot, lambda: "rewards not comparable" not in screen_text(pilot.app.screen))
