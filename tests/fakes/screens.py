"""The program on fakes, driven by a pilot: opening it, waiting for what must come, comparing with a golden text."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.dependencies import Dependencies, LauncherDependencies
from rltui.tui.launcher.plan import LaunchPlan
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.settings import LoadedSettings
from tests.fakes import children, data_folder, run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.patience import patience

SIZES = ((80, 24), (120, 40), (200, 50))
FORMS = (((120, 40), False), ((80, 24), True))  # size and whether ASCII, of the pictures that golden files hold
OTHER_FORMS = [(size, ascii_only) for size in SIZES for ascii_only in (False, True) if (size, ascii_only) not in FORMS]
NOW = run_story.now_of()
LAUNCHER_NOW = 1_764_250_000.0
LOOKS = 0.02  # seconds between two looks at what is waited for
GOLDEN = Path(__file__).parents[1] / "golden" / "tui"
UPDATE = "RLTUI_UPDATE_GOLDEN"


class Clock:
    """The time that the program sees; the test moves it."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


async def until(pilot: Pilot[str], holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Let the program work until the condition holds."""
    deadline = time.monotonic() + patience(seconds)
    while not holds():
        assert time.monotonic() < deadline, f"never came:\n{screen_text(pilot.app.screen)}"
        await asyncio.sleep(LOOKS)


async def until_shown(pilot: Pilot[str], text: str) -> str:
    """Wait until the text is on the screen; the whole screen."""
    await until(pilot, lambda: text in screen_text(pilot.app.screen))
    return screen_text(pilot.app.screen)


def rooms_in(picture: str) -> int:
    """How many bordered rooms are on a screen, the one with the focus included."""
    return picture.count("╭") + picture.count("┏")


def two_runs(data: DataDir) -> None:
    """alpha, which has stopped minutes ago, and beta, a day ago."""
    data_folder.make_two(data, LAUNCHER_NOW)


def live_run(**live: object) -> FakeRun:
    """A run that goes well, with a trainer that listens."""
    control = FakeControl()
    control.say(run_story.live(NOW - 0.1, **live))  # type: ignore[arg-type]
    return FakeRun(run_story.told(step_limit=30_000_000), control=control)


@asynccontextmanager
async def cockpit(
    run: FakeRun,
    size: tuple[int, int] = (120, 40),
    *,
    clock: Clock | None = None,
    ascii_only: bool = False,
    readonly: bool = False,
    ui: LoadedSettings | None = None,
    **more: Any,
) -> AsyncIterator[Pilot[str]]:
    """The cockpit on `run`, once its first snapshot is on screen. more: of Dependencies."""
    dependencies = Dependencies(sources=lambda name, trainer: run, clock=clock or Clock(), **more)
    app = RltuiApp(
        DataDir(Path("data")),
        attach=run.name,
        readonly=readonly,
        ascii_only=ascii_only,
        dependencies=dependencies,
        ui=ui,
    )
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = app.screen
        assert isinstance(screen, CockpitScreen)
        ready = run.control is not None
        await until(pilot, lambda: screen.snapshot.alive is not None)
        await until(
            pilot,
            lambda: screen.snapshot.link.connected if ready else screen.snapshot.link.problem != "" or not run.process,
        )
        await until(pilot, lambda: screen.snapshot.live_time is not None or not ready or not run.control.spoke)  # type: ignore[union-attr]
        await pilot.pause()
        yield pilot


def cockpit_of(pilot: Pilot[str]) -> CockpitScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, CockpitScreen))


@asynccontextmanager
async def launcher(
    data: DataDir,
    size: tuple[int, int] = (120, 40),
    *,
    launch: Callable[[LaunchPlan], LaunchedTrainer] | None = None,
    run: FakeRun | None = None,
    ascii_only: bool = False,
    tools: LauncherDependencies | None = None,
) -> AsyncIterator[Pilot[str]]:
    """The launcher, once everything has been read and judged, and the first plan is on screen."""

    def refuse(plan: LaunchPlan) -> LaunchedTrainer:
        raise AssertionError(f"nothing was to be launched: {plan}")

    dependencies = Dependencies(
        sources=(lambda name, trainer: run) if run is not None else None,
        launch=launch or refuse,
        checker=ProfileChecker(lambda command: data_folder.check_child(list(command))),
        clock=Clock(LAUNCHER_NOW),
        tools=tools or children.tools(),
    )
    app = RltuiApp(data, ascii_only=ascii_only, dependencies=dependencies)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = app.screen
        assert isinstance(screen, LauncherScreen)
        await until(pilot, lambda: screen.catalog is not None and all(entry.check for entry in screen.catalog.profiles))
        await until(pilot, lambda: screen.plan is not None)
        if tools is None:
            await until(pilot, lambda: (found := screen.details.preflight) is not None and found.done)
            await until_shown(pilot, "ready to launch" if size[1] > 30 else "Enter will")
        await pilot.pause()
        yield pilot


def form_name(size: tuple[int, int], ascii_only: bool) -> str:
    """120x40-unicode, as golden files are called."""
    return f"{size[0]}x{size[1]}-{'ascii' if ascii_only else 'unicode'}"


def fits(text: str, size: tuple[int, int]) -> bool:
    """Of a whole screen: as many rows as the terminal, none wider."""
    rows = text.splitlines()
    return len(rows) == size[1] and max(map(cell_len, rows)) <= size[0]


def assert_fits(text: str, size: tuple[int, int], ascii_only: bool) -> None:
    """And the characters that the terminal can show."""
    assert fits(text, size)
    assert text.isascii() is ascii_only


async def resized(pilot: Pilot[str], size: tuple[int, int], text: str = "") -> str:
    """Give the terminal this size and wait until what is drawn fits it, with the text in it; the whole screen."""
    await pilot.resize_terminal(*size)
    await until(pilot, lambda: fits(shown := screen_text(pilot.app.screen), size) and text in shown)
    return screen_text(pilot.app.screen)


def compare(name: str, text: str) -> None:
    """Against tests/golden/tui/<name>.txt; with RLTUI_UPDATE_GOLDEN set, the file is written instead."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(UPDATE):
        path.write_text(text, encoding="utf-8")
        return
    assert path.is_file(), f"no {path.name}; look at the screen, then set {UPDATE}=1 once"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} has changed; if that is right, set {UPDATE}=1 once"
