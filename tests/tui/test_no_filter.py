"""`/` is answered everywhere: by a filter, or by a line that says that there is none; no letter typed behind it acts."""

from __future__ import annotations

from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from rltui.runs.paths import DataDir
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import PANES, CockpitScreen
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.widgets.dialogs import ChoiceDialog, NoFilterScreen
from tests.fakes import browsed, children
from tests.fakes.fake_run import FakeRun
from tests.fakes.mouse import click_twice
from tests.fakes.screens import cockpit, cockpit_of, launcher, live_run, until, until_shown

TYPED = "touchqpPCSVz19fl"
FILTERED = {"log", "metrics", "rewards", "workers", "audit"}  # the table of this run has not been used
Acted = list[tuple[str, object]]


async def typed_behind(pilot: Pilot[str], acted: Acted) -> str:
    """The screen, after `/` and TYPED have come as fast as keys can."""
    acted.clear()
    for key in ("slash", *TYPED):
        pilot.app.post_message(events.Key(key, "/" if key == "slash" else key))
    text = await until_shown(pilot, TYPED)
    assert [action for action, _ in acted if not action.endswith(("filter", "search"))] == []
    return text


async def test_every_pane_answers_and_nothing_typed_behind_it_acts(acted: Acted) -> None:
    for size in ((80, 24), (120, 40)):
        run = live_run()
        async with cockpit(run, size) as pilot:
            theme = pilot.app.theme
            for pane in PANES:
                await pilot.press(pane.NUMBER)
                text = await typed_behind(pilot, acted)
                assert ("no filter in this pane (esc)" in text) == (pane.pane_id() not in FILTERED), pane
                await pilot.press("escape")
                await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
                assert isinstance(cockpit_of(pilot).focused_pane(), pane)
                await until(pilot, lambda: TYPED not in screen_text(pilot.app.screen))
            assert pilot.app.theme == theme
            assert run.control is not None and run.control.sent == []


async def test_charts_without_a_point_have_nothing_to_filter_and_enter_closes_the_line(acted: Acted) -> None:
    async with cockpit(FakeRun(control=live_run().control)) as pilot:
        await pilot.press("1")
        assert "no filter in this pane (esc)" in await typed_behind(pilot, acted)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))


async def test_a_dialog_takes_no_letter_behind_it_for_an_answer_and_a_double_click_beside_closes_nothing_else(
    acted: Acted,
) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceDialog))
        assert "no filter here (esc)" in await typed_behind(pilot, acted)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceDialog))
        assert run.control is not None and run.control.sent == []
        await pilot.press("escape", "3", "slash")
        await until(pilot, lambda: isinstance(pilot.app.screen, NoFilterScreen))
        click_twice(pilot, 60, 10)
        await until(pilot, lambda: not isinstance(pilot.app.screen, NoFilterScreen))
        await pilot.pause()
        assert isinstance(pilot.app.screen, CockpitScreen)


async def test_every_part_of_launcher_and_browser_answers(data: DataDir, acted: Acted) -> None:
    browsed.fill(data)
    async with launcher(data, tools=children.tools()) as pilot:
        await every_part(pilot, acted)
        assert isinstance(pilot.app.screen, LauncherScreen)
    async with browsed.browser(data) as pilot:
        await every_part(pilot, acted)
        assert isinstance(pilot.app.screen, BrowserScreen)


async def every_part(pilot: Pilot[str], acted: Acted) -> None:
    parts = [widget for widget in pilot.app.screen.focus_chain if not widget.check_consume_key("x", "x")]
    assert len(parts) > 1
    for part in parts:
        await one_part(pilot, part, acted)


async def one_part(pilot: Pilot[str], part: Widget, acted: Acted) -> None:
    part.focus()
    await until(pilot, lambda: part.has_focus)
    await typed_behind(pilot, acted)
    await pilot.press("escape")
    await until(pilot, lambda: TYPED not in screen_text(pilot.app.screen))
    assert not isinstance(pilot.app.screen, NoFilterScreen)
