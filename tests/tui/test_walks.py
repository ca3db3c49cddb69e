"""Whatever is pressed, clicked, pasted, and whatever becomes of the world meanwhile: each screen bears it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.actions import Place
from rltui.tui.app import RltuiApp
from rltui.tui.launcher.offers import Offer
from rltui.tui.screens.form import FormScreen
from rltui.tui.screens.launcher import LauncherScreen
from tests.fakes import browsed, changing_world, children, walking
from tests.fakes.screen_checks import what_is_wrong
from tests.fakes.screens import Clock, cockpit, launcher, live_run, until
from tests.fakes.walking import Walk

AWAY: dict[Place, tuple[tuple[type, str], ...]] = {  # what leads away from a place, so that a walk stays there
    "launcher": ((RltuiApp, "open_run"), (RltuiApp, "on_browser_asked")),
    "browser": ((RltuiApp, "on_browser_left"), (RltuiApp, "open_run"), (RltuiApp, "on_watch_asked")),
    "cockpit": ((RltuiApp, "show_launcher"), (RltuiApp, "on_browser_asked")),
    "form": ((FormScreen, "dismiss"),),
}
SHORT = (0, 45)  # seed, steps
LONG = pytest.param(2, 1500, marks=pytest.mark.slow)


@pytest.fixture
def acted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, object]]:
    """What bindings have run. The program cannot be left, and writes nothing outside the test's folder."""
    found: list[tuple[str, object]] = []
    run_action = App.run_action

    async def noted(app: App[Any], action: Any, default_namespace: Any = None, namespaces: Any = None) -> bool:
        found.append((str(action), default_namespace))
        return await run_action(app, action, default_namespace, namespaces)

    monkeypatch.setattr(App, "run_action", noted)
    monkeypatch.setattr(RltuiApp, "exit", lambda *_, **__: None)
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path / "config"))
    return found


@asynccontextmanager
async def opened(place: Place, data: DataDir) -> AsyncIterator[tuple[Pilot[str], dict[str, walking.Change]]]:
    """The place, and what may become of its world."""
    if place == "cockpit":
        clock, run = Clock(), live_run()
        async with cockpit(run, clock=clock) as pilot:
            yield pilot, {**changing_world.of_a_run(run, clock)}
        return
    browsed.fill(data)
    at = (
        browsed.browser(data, launch=refuse)
        if place == "browser"
        else launcher(data, launch=refuse, tools=children.tools())
    )
    async with at as pilot:
        if place == "form":
            await open_form(pilot)
        clock = pilot.app.world.clock  # type: ignore[attr-defined]
        yield pilot, {**changing_world.of_the_disk(data, Path.cwd(), clock)}


def refuse(offer: Offer) -> LaunchedTrainer:
    raise RltuiError("nothing is launched here\nat all [/]", f"of {offer.run}")


async def open_form(pilot: Pilot[str]) -> None:
    """On the launcher's profile."""
    app = pilot.app
    await pilot.press("e")
    await until(pilot, lambda: isinstance(app.screen, FormScreen) and bool(app.screen.reference.keys))


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
        clock = pilot.app.world.clock  # type: ignore[attr-defined]
        changes = {**changing_world.of_the_disk(data, Path.cwd(), clock), **changing_world.of_a_run(run, clock)}
        keys = walking.keys_of("launcher", "browser", "cockpit", "form")
        await Walk(pilot, changes, acted).go(walking.steps(seed, count, keys, changes))
    assert pilot.app.return_code != 1


async def test_all_that_was_changed_in_the_form_can_be_taken_back(
    data: DataDir, acted: list[tuple[str, object]]
) -> None:
    keys = ("down", "up", "right", "x", "delete", "space", "enter", "0", "5", "a", "u", "r", "pagedown", "home")
    async with opened("form", data) as (pilot, _):
        screen = pilot.app.screen
        assert isinstance(screen, FormScreen)
        opened_with, session = screen.session.draft.text, screen.session
        way = [walking.Step("key", key) for key in ("down", "down", "x", "space", "down", "right", "x")]
        way += [step for step in walking.steps(4, 60, keys, {"": print}) if step.kind == "key"]
        await Walk(pilot, {}, acted).go(way)
        while pilot.app.screen is not screen or screen.line.row is not None or screen.as_text:
            await pilot.press("escape")
        changed, count = session.draft.text, len(session.drafts) - 1
        assert count
        await pilot.press(*["u"] * count)
        await until(pilot, lambda: session.draft.text == opened_with)
        await pilot.press(*["r"] * count)
        await until(pilot, lambda: session.draft.text == changed)
