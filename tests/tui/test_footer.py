"""The last line of a real screen: the focused pane's keys with the screen's, clicked like pressed, none that would be typed."""

from __future__ import annotations

from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.panes.log import LogPane
from rltui.tui.widgets.filter_bar import FilterBar
from rltui.tui.widgets.footer import Footer
from tests.fakes import run_story
from tests.fakes.browsed import browser
from tests.fakes.edited_form import form
from tests.fakes.fake_run import FakeRun
from tests.fakes.screens import NOW, SIZES, cockpit, cockpit_of, launcher, live_run, resized, until, until_shown


def last_line(pilot: Pilot[str]) -> str:
    return screen_text(pilot.app.screen).splitlines()[-1]


def dimmed(pilot: Pilot[str]) -> set[str]:
    """Keys drawn faint."""
    [line] = pilot.app.screen.query_one(Footer).lines
    words = {"act", "debug", "view"}
    return {text for text, role in line if role == "faint" and not text.startswith(" ") and text.strip() not in words}


async def test_acts_and_views_stand_apart_in_ascii_too() -> None:
    async with cockpit(live_run(), ascii_only=True) as pilot:
        for size in SIZES:
            await resized(pilot, size)
            acts, views, *_, ways = last_line(pilot).split(" | ")
            assert acts.startswith(" act P Pause")
            assert ": Change" in acts
            assert "/ Filter" in (views if size[0] < 200 else last_line(pilot).split(" | ")[-2])
            assert ways.endswith("? Help  ^p Palette  q Quit")


async def test_the_focused_pane_brings_its_keys_which_are_none_while_something_is_typed() -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.press("1")
        await until(pilot, lambda: "view / Filter  e Charts" in last_line(pilot))
        await pilot.press("slash", "k")
        await until(pilot, lambda: "esc clears" in last_line(pilot) and "P Pause" not in last_line(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: not dimmed(pilot) and "/ Filter" in last_line(pilot))
        assert "f Maximise" not in last_line(pilot)
        await pilot.press("f")
        await until_shown(pilot, "f All panes")
        await pilot.press("f", "9")
        await until(pilot, lambda: "view / Filter  enter Open" in last_line(pilot))
        await pilot.click("#footer", offset=(last_line(pilot).index("Filter") + 2, 0))  # runs it there
        pane = cockpit_of(pilot).query_one(LogPane)
        await until(pilot, lambda: pilot.app.screen.query_one(FilterBar).line.has_focus)
        await pilot.press("3")
        await until(pilot, lambda: pane.pattern.text == "3")


async def test_every_screen_shows_its_way_out_at_60_columns(data: DataDir) -> None:
    async with launcher(data, (60, 20)) as pilot:
        assert last_line(pilot).endswith("q Quit")
    async with browser(data, (60, 20)) as pilot:
        assert last_line(pilot).endswith("esc Back  ? Help  ^p Palette")
    async with form(data, (60, 20)) as pilot:
        assert last_line(pilot).endswith("? Help  esc Back")


async def test_the_way_on_from_a_run_that_has_ended_is_there() -> None:
    run = FakeRun([*run_story.told(40), run_story.finished(819_200, NOW)], process=False)
    async with cockpit(run) as pilot:
        for size in SIZES:
            await resized(pilot, size, "■ STOPPED")
            await until(pilot, lambda: "act R Resume │" in last_line(pilot) and "H Launcher" in last_line(pilot))
            offered = pilot.app.screen.query_one(Footer).offered
            assert [action.name for action in offered if action.trains] == [], "dead keys"


async def test_stop_is_offered_at_every_size_beside_every_pane() -> None:
    async with cockpit(live_run(), (80, 24)) as pilot:
        for pane in cockpit_of(pilot).panes:
            await pilot.press(pane.NUMBER)
            await until(pilot, lambda pane=pane: pane.has_focus and "S Stop" in last_line(pilot))
