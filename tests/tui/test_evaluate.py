"""Evaluate against another bot from the browser: the questions, progress, result, the rating beside the state."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.launcher.screen import LauncherScreen
from tests.fakes.browsed import PHASE, browser, browser_of, fill, go_to
from tests.fakes.evaluations import FakeEvaluations
from tests.fakes.leagues import put_league
from tests.fakes.screens import resized, until, until_shown


async def test_whom_how_often_how_far_and_what_came_of_it(data: DataDir) -> None:
    fill(data)
    fake = FakeEvaluations()
    async with browser(data, evaluator=fake) as pilot:
        state = data.run("alpha").milestones / PHASE / "005M"
        await go_to(pilot, state)
        await pilot.press("E")
        await until_shown(pilot, "milestone 5 M of alpha against whom?")
        assert "milestone 10 M" in screen_text(pilot.app.screen)
        await pilot.press(*"chas", "enter")
        await until_shown(pilot, "How many games against chaser?")
        assert pilot.app.screen.query_one(Input).value == "100"
        await pilot.press("enter")
        await until(pilot, lambda: fake.commands != [])
        assert fake.commands[0][3:6] == ["eval", "--games", "100"] and fake.commands[0][-2:] == [str(state), "chaser"]
        await until_shown(
            pilot, "milestone 5 M of alpha against chaser: 34 % of 100 games, 1 min 05 s left · E ends it"
        )
        assert "⁷Elo" not in screen_text(pilot.app.screen), "nobody is rated"
        put_league(data, "alpha")  # what the games come to
        fake.go.set()
        await until_shown(pilot, "scores 62 % (55 to 69 %)")
        await pilot.press("r")
        await until_shown(pilot, "1,427 ± 100")
        assert browser_of(pilot).table.entry is not None
        await pilot.press("7")
        rated = [entry.elo is not None for entry in browser_of(pilot).table.entries]
        assert rated == sorted(rated, reverse=True) and any(rated), "unknown ones last"


async def test_it_goes_on_elsewhere_and_ends_with_the_program_or_when_asked(data: DataDir) -> None:
    fill(data)
    fake = FakeEvaluations()
    async with browser(data, evaluator=fake) as pilot:
        for ask in (True, False):
            await pilot.press("E")
            await until_shown(pilot, "against whom?")
            await pilot.press(*"chas", "enter")
            await until_shown(pilot, "How many games")
            await pilot.press("enter")
            await until_shown(pilot, "34 % of 100 games")
            if ask:
                await pilot.press("E")
                await until_shown(pilot, "Games are being played")
                await pilot.press("e")
                await until_shown(pilot, "scores 70 % (50 to 85 %)")
                await until(pilot, lambda: "34 % of 100 games" not in screen_text(pilot.app.screen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert not fake.ended.is_set()
    assert fake.ended.is_set()


async def test_its_progress_has_rows_of_its_own_below_all_borders(data: DataDir) -> None:
    fill(data)
    async with browser(data, evaluator=FakeEvaluations()) as pilot:
        await pilot.press("E")
        await until_shown(pilot, "against whom?")
        await pilot.press(*"chas", "enter")
        await until_shown(pilot, "How many games")
        await pilot.press("enter")
        for size in ((200, 50), (120, 40), (80, 24), (60, 20)):
            screen = await resized(pilot, size, "E ends it")
            *_, border = (index for index, row in enumerate(screen.splitlines()) if "╯" in row or "┛" in row)
            *told, _ = screen.splitlines()[border + 1 :]
            assert (
                "34 % of 100 games" in " ".join(" ".join(told).split()) and "E ends it" in told[-1] and len(told) <= 2
            )


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_esc_begins_nothing(data: DataDir, size: tuple[int, int]) -> None:
    fill(data)
    fake = FakeEvaluations()
    async with browser(data, size, evaluator=fake) as pilot:
        await pilot.press("E")
        await until_shown(pilot, "against whom?")
        await pilot.press("escape", "E")
        await until_shown(pilot, "against whom?")
        await pilot.press("enter")
        await until_shown(pilot, "How many games")
        await pilot.press("escape")
        await pilot.pause()
    assert fake.commands == []


async def test_a_view_to_look_only_plays_none(data: DataDir) -> None:
    fill(data)
    async with browser(data, readonly=True) as pilot:
        await pilot.press("E")
        await until_shown(pilot, "look only")
