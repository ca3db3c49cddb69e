"""The places that are walked through at random, each with what may become of its world meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.actions import Place
from rltui.tui.app import RltuiApp
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.plan import LaunchPlan
from rltui.tui.navigation import Navigator
from tests.fakes import browsed, changing_world, children, walking
from tests.fakes.screens import Clock, cockpit, launcher, live_run, until

AWAY: dict[Place, tuple[tuple[type, str], ...]] = {  # what leads away from a place, so that a walk stays there
    "launcher": ((Navigator, "open_run"), (Navigator, "show_browser")),
    "browser": ((Navigator, "leave_browser"), (Navigator, "open_run"), (RltuiApp, "on_watch_asked")),
    "cockpit": ((Navigator, "show_launcher"), (Navigator, "show_browser")),
    "form": ((FormScreen, "dismiss"),),
}


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
            await _open_form(pilot)
        clock = pilot.app.dependencies.clock  # type: ignore[attr-defined]
        yield pilot, {**changing_world.of_the_disk(data, Path.cwd(), clock)}


def refuse(plan: LaunchPlan) -> LaunchedTrainer:
    raise RltuiError("nothing is launched here\nat all [/]", f"of {plan.run}")


async def _open_form(pilot: Pilot[str]) -> None:
    """On the launcher's profile."""
    app = pilot.app
    await pilot.press("e")
    await until(pilot, lambda: isinstance(app.screen, FormScreen) and bool(app.screen.reference.keys))
