"""Whatever is pressed, clicked, pasted, and whatever becomes of the world meanwhile: each screen bears it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from rltui.tui.actions import Place
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.screen import LauncherScreen
from tests.fakes import browsed, changing_world, children, walking
from tests.fakes.screen_checks import what_is_wrong
from tests.fakes.screens import launcher, live_run, until
from tests.fakes.walked_places import AWAY, opened, refuse
from tests.fakes.walking import Walk

SHORT = (0, 45)  # seed, steps
LONG = pytest.param(2, 1500, marks=pytest.mark.slow)


@pytest.mark.parametrize(("seed", "count"), [SHORT, LONG])
@pytest.mark.parametrize("place", AWAY)
async def test_a_walk(
    place: Place, seed: int, count: int, data: DataDir, monkeypatch: pytest.MonkeyPatch, acted: list[tuple[str, object]]
) -> None:
    async with opened(place, data) as (pilot, changes):
        with monkeypatch.context() as staying:
            for owner, name in AWAY[place]:
                staying.setattr(owner, name, lambda *_, **__: None)
            await Walk(pilot, changes, acted).go(walking.steps(seed, count, walking.keys_of(place), changes))
        await pilot.resize_terminal(120, 40)
        assert what_is_wrong(pilot.app) == ""
    assert pilot.app.return_code != 1


@pytest.mark.parametrize(("seed", "count"), [(0, 60), LONG])
async def test_a_walk_through_all_places(seed: int, count: int, data: DataDir, acted: list[tuple[str, object]]) -> None:
    browsed.fill(data)
    run = live_run()
    async with launcher(data, launch=refuse, run=run, tools=children.tools()) as pilot:
        assert isinstance(pilot.app.screen, LauncherScreen)
        clock = pilot.app.dependencies.clock  # type: ignore[attr-defined]
        changes = {**changing_world.of_the_disk(data, Path.cwd(), clock), **changing_world.of_a_run(run, clock)}
        keys = walking.keys_of("launcher", "browser", "cockpit", "form")
        await Walk(pilot, changes, acted).go(walking.steps(seed, count, keys, changes))
    assert pilot.app.return_code != 1


async def test_all_that_was_changed_in_the_form_can_be_taken_back(
    data: DataDir, acted: list[tuple[str, object]]
) -> None:
    keys = ("down", "up", "X", "delete", "space", "enter", "0", "5", "n", "u", "U", "pagedown", "home")
    async with opened("form", data) as (pilot, _):
        screen = pilot.app.screen
        assert isinstance(screen, FormScreen)
        opened_with, session = screen.session.draft.text, screen.session
        way = [walking.Step("key", key) for key in ("down", "down", "X", "space", "down", "enter", "X")]
        way += [step for step in walking.steps(4, 60, keys, {"": print}) if step.kind == "key"]
        await Walk(pilot, {}, acted).go(way)
        while pilot.app.screen is not screen or screen.line.row is not None or screen.as_text:
            await pilot.press("escape")
        changed, count = session.draft.text, len(session.drafts) - 1
        assert count
        await pilot.press(*["u"] * count)
        await until(pilot, lambda: session.draft.text == opened_with)
        await pilot.press(*["U"] * count)
        await until(pilot, lambda: session.draft.text == changed)
