"""A key that opens a line, text and enter, typed faster than the screen follows: the text goes into the line only."""

from __future__ import annotations

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from rltui.runs.paths import DataDir
from rltui.tui.app import RltuiApp
from rltui.tui.cockpit.change_prompt import ChangePrompt
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.panes.metrics import MetricsPane
from tests.fakes import browsed
from tests.fakes.edited_form import form, go
from tests.fakes.edited_form import screen as screen_of
from tests.fakes.screens import cockpit, launcher, live_run, until

TEXT = "qa-cpR x"  # most of its letters do something where nothing is typed


def burst(pilot: Pilot[str], *keys: str) -> None:
    """All at once, as a paste without brackets comes; a text stands for its letters."""
    named = {"/": "slash", ":": "colon", " ": "space", "-": "minus"}
    for key in keys:
        known = len(key) > 1 and key.islower() and key in ("enter", "down", "escape", "slash")
        for letter in (key,) if known else key:
            character = "/" if key == "slash" else None if known else letter
            pilot.app.post_message(events.Key(named.get(letter, letter), character))


async def test_the_launchers_filter(data: DataDir) -> None:
    async with launcher(data) as pilot:
        screen = pilot.app.screen
        burst(pilot, "slash", TEXT, "enter")
        await until(pilot, lambda: screen.query_one("#filter", Input).value == TEXT)
        await until(pilot, lambda: getattr(screen.focused, "name", "") == "tree")
        assert pilot.app.screen is screen
        assert isinstance(screen, LauncherScreen)


async def test_the_browsers_filter(data: DataDir) -> None:
    browsed.fill(data)
    async with browsed.browser(data) as pilot:
        screen = browsed.browser_of(pilot)
        burst(pilot, "slash", TEXT, "enter")
        await until(pilot, lambda: screen.query_one("#filter", Input).value == TEXT)
        await until(pilot, lambda: screen.focused is screen.table)
        assert pilot.app.screen is screen


async def test_the_change_of_a_running_training() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        burst(pilot, ":", TEXT, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChangePrompt) and pilot.app.focused is not None)
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == TEXT)
        assert run.control is not None
        assert run.control.sent == []


async def test_a_paste_behind_the_key() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        burst(pilot, ":")
        pilot.app.post_message(events.Paste("lr 1e-4"))
        await until(pilot, lambda: isinstance(pilot.app.screen, ChangePrompt))
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "lr 1e-4")
        assert run.control is not None
        assert run.control.sent == []


async def test_the_filter_of_a_pane() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("1")
        pane = pilot.app.screen.query_one(MetricsPane)
        await until(pilot, lambda: pane.has_focus)
        burst(pilot, "slash", TEXT, "enter")
        await until(pilot, lambda: pane.pattern.text == TEXT and pane.has_focus)
        assert run.control is not None
        assert run.control.sent == []


async def test_a_value_of_the_form(data: DataDir) -> None:
    async with form(data) as pilot:
        screen = screen_of(pilot)
        text = screen.session.draft.text
        await go(pilot, "label")
        burst(pilot, "enter", TEXT, "enter")
        await until(pilot, lambda: screen.line.row is None and screen.session.draft.text != text)
        assert TEXT in screen.session.draft.text
        assert pilot.app.screen is screen


async def test_choosing_what_is_added(data: DataDir) -> None:
    async with form(data) as pilot:
        screen = screen_of(pilot)
        add = next(row for row in screen.field_list.fields.values() if row.path[:1] == ("rewards",))
        rows = screen.query_one("#form-rows")
        rows.set_rows(rows.rows, add.identity)  # type: ignore[attr-defined]
        burst(pilot, "n", "qxsR")
        await until(pilot, lambda: pilot.app.screen is not screen and pilot.app.focused is not None)
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "qxsR")


async def test_a_note_in_the_browser(data: DataDir) -> None:
    browsed.fill(data)
    async with browsed.browser(data) as pilot:
        screen = browsed.browser_of(pilot)
        path = next(entry.path for entry in screen.table.entries if entry.usable and entry.kind == "milestone")
        await browsed.go_to(pilot, path)
        burst(pilot, "e", "nqp x")
        await until(pilot, lambda: pilot.app.screen is not screen and bool(pilot.app.screen.query(Input)))
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "qp x")


async def test_a_key_that_comes_while_the_program_ends_is_dropped() -> None:
    async with cockpit(live_run()) as pilot:
        app = pilot.app
    assert isinstance(app, RltuiApp)
    assert not app.screen_stack and not app._key_queue.arrived(events.Key("x", "x"))
