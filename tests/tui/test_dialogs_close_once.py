"""A screen above others closes itself once, whoever is above it; what is typed or pasted there stays within measure."""

from __future__ import annotations

import threading

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from rltui.runs.paths import DataDir
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.launcher.plan import LaunchPlan
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.launcher.start import LaunchingScreen
from rltui.tui.terminal.key_queue import LONGEST_PASTE
from rltui.tui.widgets.dialogs import ChoiceDialog, Palette
from rltui.tui.widgets.footer import Footer
from tests.fakes.launches import a_trainer
from tests.fakes.screens import cockpit, cockpit_of, launcher, live_run, until, until_shown


def click_twice(pilot: Pilot[str], x: int, y: int) -> None:
    """Both clicks are there before the first is answered, as where the machine is busy."""
    for kind in (events.MouseDown, events.MouseUp) * 2:
        pilot.app.post_message(kind(None, x, y, 0, 0, 1, False, False, False, x, y))


async def test_a_double_click_beside_the_palette_closes_the_palette_only(data: DataDir) -> None:
    async with launcher(data) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(pilot.app.screen, Palette))
        click_twice(pilot, 2, 38)
        await until(pilot, lambda: not isinstance(pilot.app.screen, Palette))
        await pilot.pause()
        assert isinstance(pilot.app.screen, LauncherScreen)


async def test_two_clicks_on_an_answer_answer_once() -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceDialog))
        dialog = pilot.app.screen
        dialog.dismiss(None)
        dialog.dismiss(None)
        await pilot.pause()
        assert pilot.app.screen is cockpit_of(pilot)


async def test_a_start_that_succeeds_under_the_palette_opens_the_cockpit(data: DataDir) -> None:
    go = threading.Event()

    def launch(plan: LaunchPlan) -> LaunchedTrainer:
        assert go.wait(15)
        return a_trainer("alpha")

    async with launcher(data, launch=launch, run=live_run()) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LaunchingScreen))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(pilot.app.screen, Palette))
        go.set()
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        assert not any(isinstance(screen, LaunchingScreen) for screen in pilot.app.screen_stack)


async def test_while_a_line_is_typed_in_the_footer_offers_no_key_and_a_paste_beyond_measure_is_cut(
    data: DataDir,
) -> None:
    async with launcher(data) as pilot:
        footer = pilot.app.screen.query_one(Footer)
        assert footer._typed() == frozenset()
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(pilot.app.focused, Input))
        assert {"launch", "new", "filter", "browser", "app.help", "leave"} <= footer._typed()
        assert not {"app.command_palette"} & footer._typed()
        await until(pilot, lambda: {role for text, role in footer.lines[0] if "Browser" in text} == {"faint"})
        pilot.app.post_message(events.Paste("\udc80" + "é" * 1_000_000))
        line = pilot.app.screen.query_one("#filter", Input)
        await until(pilot, lambda: line.value == "é" * LONGEST_PASTE)
        await until_shown(pilot, "1,000,000")
        await pilot.press("escape")
        await until(pilot, lambda: {role for text, role in footer.lines[0] if "Browser" in text} == {"muted"})
