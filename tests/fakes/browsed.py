"""A data folder with one of everything that the milestone browser can show, and the browser on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from textual.pilot import Pilot

from rltui.profile.changes import KeyChange
from rltui.runs import trash
from rltui.runs.inventory import MilestoneMark, change_mark, read_checkpoint_info
from rltui.runs.paths import DataDir
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.app import RltuiApp
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.dependencies import Dependencies
from rltui.tui.launcher.plan import LaunchPlan
from tests.fakes import children, data_folder, saved_runs
from tests.fakes.evaluations import FakeEvaluations
from tests.fakes.fake_run import FakeRun
from tests.fakes.screens import LAUNCHER_NOW, Clock, until

PHASE = "Phase1-BallTouching"
PROFILE = 'schema = 1\nlabel = "BallTouching"\n\n[ppo]\nlearning_rate = {rate}\n\n[rewards.touch]\nweight = {touch}\n'
CHANGES = [
    KeyChange("ppo.learning_rate", "0.0002", "0.0001"),
    *(KeyChange(f"mechanics.{n}", None, "1") for n in range(4)),
]


def fill(data: DataDir) -> None:
    """alpha with milestones, marks, a damaged one and strays; alpha-b2 branched from it; beta; one in the trash."""
    alpha = data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
    data_folder.make_stopped(data, "beta", iterations=250, time=LAUNCHER_NOW - 86_400)
    for commit, (label, steps, touch) in enumerate((("000.5M", 500_000, 1.0), ("001.09568M", 1_095_680, 0.5)), 3):
        about = saved_runs.make_meta("alpha", commit - 3, steps, time=LAUNCHER_NOW - 9000)
        files = saved_runs.make_files(msgspec.structs.replace(about, mean_reward=3.2 * commit, entropy=4.0))
        files["profile.toml"] = PROFILE.format(rate="2e-4", touch=touch).encode()
        saved_runs.place(alpha.milestones / PHASE / label, files)
    branch = msgspec.structs.replace(
        saved_runs.make_meta("alpha-b2", 1, 5_000_000, time=LAUNCHER_NOW - 900), parent="alpha@5000000"
    )
    saved_runs.place(data.run("alpha-b2").checkpoint(5_000_000), saved_runs.make_files(branch))
    change_mark(alpha, f"{PHASE}/005M", lambda _: MilestoneMark(pinned=True, note="first aerial goal"))
    change_mark(alpha, f"{PHASE}/010M", lambda _: MilestoneMark(released=True))
    (alpha.milestones / PHASE / "000.5M" / "policy.npz").write_bytes(b"short")
    (alpha.milestones / PHASE / "best one").mkdir()
    (alpha.milestones / "notes.txt").write_text("mine")
    (data.runs / "zeta.txt").write_text("mine")
    gone = saved_runs.save_milestone(alpha, 0, 250_000, "000.25M")
    trash.delete(alpha, read_checkpoint_info(gone), now=LAUNCHER_NOW - 7200)


def child(command: list[str]) -> bytes:
    """In the place of `rltui profile check` and `profile diff`."""
    return msgspec.json.encode(CHANGES) if "diff" in command else data_folder.check_child(command)


@asynccontextmanager
async def browser(
    data: DataDir,
    size: tuple[int, int] = (120, 40),
    *,
    launch: Callable[[LaunchPlan], LaunchedTrainer] | None = None,
    run: FakeRun | None = None,
    clock: Clock | None = None,
    ascii_only: bool = False,
    readonly: bool = False,
    evaluator: FakeEvaluations | None = None,
) -> AsyncIterator[Pilot[str]]:
    """The browser, opened from the launcher, once everything has been read."""

    def refuse(plan: LaunchPlan) -> LaunchedTrainer:
        raise AssertionError(f"nothing was to be launched: {plan}")

    dependencies = Dependencies(
        sources=(lambda name, trainer: run) if run is not None else None,
        launch=launch or refuse,
        checker=ProfileChecker(lambda command: child(list(command))),
        clock=clock or Clock(LAUNCHER_NOW),
        tools=children.tools(),
        evaluator=evaluator or FakeEvaluations(),
    )
    app = RltuiApp(data, ascii_only=ascii_only, readonly=readonly, dependencies=dependencies)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, BrowserScreen) and app.screen.library.complete)
        await pilot.pause()
        yield pilot


def browser_of(pilot: Pilot[str]) -> BrowserScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, BrowserScreen))


async def go_to(pilot: Pilot[str], path: Path) -> None:
    """Put the table's cursor on this state."""
    screen = browser_of(pilot)
    screen.table.focus()
    screen.table.go_to(path)
    await until(pilot, lambda: screen.entry is not None and screen.entry.path == path)
