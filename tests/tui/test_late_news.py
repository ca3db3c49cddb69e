"""News of threads, and timers, may come when a screen is being taken away, its parts before it: they break nothing."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from rltui.runs.paths import DataDir
from rltui.tui.background import if_mounted
from rltui.tui.browser.compare import CompareScreen
from rltui.tui.browser.fork import ForkScreen
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.details import LauncherDetails
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.panes.action_table import ActionTablePane
from rltui.tui.panes.metrics import MetricsPane
from tests.fakes.screens import launcher

FROM_THREADS: dict[type[Widget], tuple[str, ...]] = {
    LauncherScreen: ("on_catalog_ready", "on_plan_ready"),
    LauncherDetails: ("on_preflight_news",),
    BrowserScreen: ("on_library_ready", "on_hashes_checked", "on_plan_ready", "on_operation_done"),
    CompareScreen: ("on_compare_screen_read",),
    ForkScreen: ("checked", "planned"),
    CockpitScreen: ("on_snapshot_ready",),
    MetricsPane: ("on_runs_listed", "on_other_run_read"),
    ActionTablePane: ("on_action_table_pane_examined",),
}


PUT_OFF: dict[type[Widget], tuple[str, ...]] = {
    LauncherScreen: ("_show_rows",),
    BrowserScreen: ("_show", "_show_keys"),
    FormScreen: ("show_all",),
    ForkScreen: ("rested",),
    CockpitScreen: ("show_now",),
}


class News(Message):
    """Found out by a thread."""


class Told(Screen[None]):
    """A screen that shows its news in a part of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.told = 0

    def compose(self) -> ComposeResult:
        yield Part("nothing yet")

    @if_mounted
    def on_news(self) -> None:
        self.query_one(Part).update("news")
        self.told += 1


class Part(Static):
    """Goes before its screen does; the news come just then."""

    def on_unmount(self) -> None:
        screen = self.screen
        assert isinstance(screen, Told)
        screen.on_news()


async def test_news_that_come_while_a_screen_is_taken_away_find_nobody() -> None:
    for way in ("pop", "exit"):
        screen, app = Told(), App[None]()
        async with app.run_test() as pilot:
            await app.push_screen(screen)
            screen.post_message(News())
            await pilot.pause()
            assert screen.told == 1
            if way == "pop":
                await app.pop_screen()
            else:
                app.exit()
            screen.on_news()
        assert screen.told == 1, way


async def test_a_timer_of_the_launcher_finds_nothing_once_its_list_has_gone(data: DataDir) -> None:
    async with launcher(data) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, LauncherScreen) and screen.item is not None
        await screen.tree_list.remove()
        assert screen.item is None
        screen.ask_plan()


def test_what_threads_find_is_handled_only_while_the_place_is_there(subtests: pytest.Subtests) -> None:
    for place, names in [*FROM_THREADS.items(), *PUT_OFF.items()]:
        for name in names:
            with subtests.test(place=place.__name__, handler=name):
                assert hasattr(getattr(place, name), "__wrapped__"), "needs @if_mounted"
