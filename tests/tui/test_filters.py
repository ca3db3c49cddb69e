"""One filter in every list and pane: `/` opens it, typing filters, enter closes it, esc clears, `!` inverts, what is wrong is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
import pytest
from textual import events
from textual.pilot import Pilot

from rltui.events.commands import CommandApplied
from rltui.events.records import CommandLogged, LogLine
from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import PANES, CockpitScreen
from rltui.tui.panes.pane import Pane
from rltui.tui.text import plain
from rltui.tui.widgets.dialogs import ChoiceDialog
from rltui.tui.widgets.filter_bar import FilterBar, Filtered
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import FilteredList
from tests.fakes import browsed, run_story
from tests.fakes.edited_form import form
from tests.fakes.fake_run import FakeRun
from tests.fakes.figured import opened as cockpit_of
from tests.fakes.figured import rich_run
from tests.fakes.screens import NOW, cockpit, launcher, live_run, two_runs, until, until_shown

Acted = list[tuple[str, object]]


@dataclass(frozen=True)
class Place:
    """keys: show the list. text: finds some rows, not the first. rows: words of each that it finds; gone: of one that it hides.

    whole: what a row shows, as it stands there without sign and indentation.
    """

    name: str
    screen: str
    keys: tuple[str, ...]
    text: str
    rows: tuple[str, ...]
    gone: str
    whole: str


PLACES = [
    Place("tree", "launcher", (), "beta", ("beta", "5 M"), "alpha", "beta"),
    Place("states", "browser", (), "pinned", ("5,000,000",), "500,000", "milestone"),
    Place("form-rows", "form", (), "epochs", ("epochs",), "label", "epochs"),
    Place("metrics", "cockpit", ("1",), "^rollout/touches|n/entropy", ("touches", "entropy"), "explained", "entropy"),
    Place("rewards", "cockpit", ("2",), "_ball$", ("face_ball", "speed_toward_ball"), "in_air", "face_ball"),
    Place("workers", "cockpit", ("4",), "restarted", ("restarted",), " started in", ".*restarted.*"),
    Place("lut", "cockpit", ("5",), "never", ("(never)",), "full throttle", ".*never.*"),
    Place("log", "cockpit", ("9",), "line 1$|line 2", ("line 1", "line 2"), "line 3", "line 1"),
    Place("audit", "cockpit", ("a",), "flag", ("flag 2", "flag 4"), "checkpoint", "flag 2"),
]


def told() -> FakeRun:
    """Several rows in each pane that has any."""
    run = rich_run()
    for number, command in enumerate(["pause", "flag 2", "resume", "flag 4", "milestone"]):
        outcome = CommandApplied(number, "done", 0.1)
        run.records.add(CommandLogged(time=NOW + number, command=command, by="ada on tower, pid 1", outcome=outcome))
        run.records.add(LogLine(time=NOW + number, level="info", source="worker", message=f"line {number}"))
    return run


@asynccontextmanager
async def opened(screen: str, data: DataDir) -> AsyncIterator[Pilot[str]]:
    if screen == "browser":
        browsed.fill(data)
        async with browsed.browser(data) as pilot:
            yield pilot
    elif screen == "launcher":
        two_runs(data)
        async with launcher(data) as pilot:
            yield pilot
    elif screen == "form":
        async with form(data) as pilot:
            yield pilot
    else:
        async with cockpit_of(told()) as pilot:
            yield pilot


class Walk:
    """One of the lists, with the focus."""

    def __init__(self, pilot: Pilot[str], place: Place, acted: Acted) -> None:
        self.pilot, self.place, self.acted = pilot, place, acted
        self.owner = pilot.app.screen.query_one(f"#{place.name}", LineWidget)

    @property
    def filtered(self) -> Filtered:
        owner = self.owner
        found = owner if isinstance(owner, FilteredList) else owner.filtered if isinstance(owner, Pane) else None
        assert found is not None, self.place
        return found

    @property
    def bar(self) -> FilterBar:
        return self.pilot.app.screen.query_one(FilterBar)

    @property
    def keys(self) -> list[object]:
        return list(self.filtered.matching()[0])

    @property
    def shown(self) -> str:
        return plain(self.owner.lines)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Into the bar, which opens."""
        await self.press("slash")
        await until(self.pilot, lambda: self.bar.display and self.bar.line.has_focus)
        self.pilot.app.post_message(events.Paste(text))
        await until(self.pilot, lambda: self.bar.line.value == text)
        await self.pilot.pause()

    async def left(self) -> None:
        """The bar has gone, the list has the focus."""
        await until(self.pilot, lambda: self.owner.has_focus and not self.bar.display)

    async def filters_as_one_types_and_esc_in_the_bar_goes_back(self) -> None:
        await self.press("down")
        here, before, of = self.filtered.standing, self.keys, self.filtered.matching()[1]
        assert self.place.gone in self.shown
        await self.type(self.place.text)
        await until(self.pilot, lambda: len(self.keys) == len(self.place.rows))
        await until_shown(self.pilot, f"/{self.place.text} {len(self.keys)} of {of}")
        assert all(row in self.shown for row in self.place.rows)
        assert self.place.gone not in self.shown
        await self.press("escape")
        await self.left()
        assert (self.filtered.standing, self.keys) == (here, before)
        assert "esc clears" not in screen_text(self.pilot.app.screen)

    async def enter_keeps_it_slash_opens_it_again_and_esc_in_the_list_stays(self) -> None:
        before = self.keys
        self.acted.clear()
        await self.press("slash", *self.place.text)
        assert [action for action, _ in self.acted] == ["filter"], "what is typed does nothing else"
        await self.press("enter")
        await self.left()
        assert len(self.keys) == len(self.place.rows)
        await self.press("slash")
        await until(self.pilot, lambda: self.bar.line.has_focus and self.bar.line.value == self.place.text)
        await self.press("enter")
        await self.left()
        here, screen = self.filtered.standing, self.pilot.app.screen
        await self.press("escape")
        await until(self.pilot, lambda: set(before) <= set(self.keys))
        assert self.filtered.standing == here
        assert self.pilot.app.screen is screen, "the filter goes first"

    async def arrows_move_in_what_is_left(self) -> None:
        await self.press("home")
        await self.type("e")
        here = self.filtered.standing
        await self.press("down")
        await until(self.pilot, lambda: self.filtered.standing != here or len(self.keys) == 1)
        assert self.bar.line.has_focus
        await self.press("escape")
        await self.left()

    async def exclamation_mark_inverts(self) -> None:
        every = set(self.keys)
        await self.type(self.place.text)
        some = set(self.keys)
        await self.press("home", "exclamation_mark")
        await until(self.pilot, lambda: bool(self.keys) and not some & set(self.keys))
        assert every <= some | set(self.keys)
        await self.press("escape")
        await self.left()

    async def what_cannot_be_used_is_named_in_the_bar_and_the_list_stays(self) -> None:
        for text, problem in (("[", "unterminated"), (r"(\w+ ?)+:", "for ever")):
            await self.type(self.place.text)
            before = self.keys
            self.bar.line.value = text  # at once: no part of it is looked for
            await until_shown(self.pilot, problem)
            assert self.keys == before, text
            await self.press("enter")
            await self.pilot.pause()
            assert self.bar.line.has_focus, "until it is mended"
            await self.press("escape")
            await self.left()

    async def anchors_hold_at_what_is_shown(self) -> None:
        await self.type(f"^{self.place.whole}$")
        await until(self.pilot, lambda: len(self.keys) >= 1)
        await until_shown(self.pilot, f"$ {len(self.keys)} of ")
        await self.press("escape")
        await self.left()

    async def nothing_matches(self) -> None:
        before = self.keys
        await self.type("zzzz")
        await self.press("enter", "down", "end", "pageup")
        await self.left()
        assert self.keys == []
        await until_shown(self.pilot, "/zzzz 0 of ")
        await self.press("escape")
        await until(self.pilot, lambda: set(before) <= set(self.keys))


WALKS = (
    Walk.filters_as_one_types_and_esc_in_the_bar_goes_back,
    Walk.enter_keeps_it_slash_opens_it_again_and_esc_in_the_list_stays,
    Walk.arrows_move_in_what_is_left,
    Walk.exclamation_mark_inverts,
    Walk.what_cannot_be_used_is_named_in_the_bar_and_the_list_stays,
    Walk.anchors_hold_at_what_is_shown,
    Walk.nothing_matches,
)


@pytest.mark.parametrize("screen", ["launcher", "browser", "form", "cockpit"])
async def test_every_list_is_filtered_by_the_same_keys(
    screen: str, data: DataDir, acted: Acted, subtests: pytest.Subtests
) -> None:
    async with opened(screen, data) as pilot:
        for place in [place for place in PLACES if place.screen == screen]:
            await pilot.press(*place.keys)
            walk = Walk(pilot, place, acted)
            await until(pilot, lambda walk=walk: walk.owner.has_focus and len(walk.keys) > 1)  # type: ignore[misc]
            for part in WALKS:
                with subtests.test(place=place.name, walk=part.__name__):
                    await part(walk)
            await pilot.resize_terminal(80, 24)
            await walk.type(place.text)
            await until_shown(pilot, f"/{place.text} {len(place.rows)} of {walk.filtered.matching()[1]} · esc clears")
            await walk.press("escape")
            await pilot.resize_terminal(120, 40)


async def test_where_nothing_can_be_filtered_a_notice_says_so() -> None:
    there = {place.name for place in PLACES}
    async with cockpit_of(told()) as pilot:
        for pane in PANES:
            await pilot.press(pane.NUMBER, "slash")
            if pane.pane_id() in there:
                await until(pilot, lambda: pilot.app.screen.query_one(FilterBar).display)
                await pilot.press("escape")
            else:
                await until_shown(pilot, "nothing to filter in this pane")
                pilot.app.clear_notifications()
                await until(pilot, lambda: "nothing to filter" not in screen_text(pilot.app.screen))
            assert isinstance(pilot.app.screen, CockpitScreen)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceDialog))
        await pilot.press("slash")
        await until_shown(pilot, "nothing to filter here")
    async with cockpit(FakeRun(control=live_run().control)) as pilot:  # no chart has a point yet
        await pilot.press("1", "slash")
        await until_shown(pilot, "nothing to filter in this pane")


async def test_another_focus_ends_the_typing_and_new_figures_leave_filter_and_cursor_alone() -> None:
    run = told()
    async with cockpit_of(run) as pilot:
        await pilot.press("2")
        walk = Walk(pilot, next(place for place in PLACES if place.name == "rewards"), [])
        await until(pilot, lambda: walk.owner.has_focus and len(walk.keys) > 1)
        await walk.type(walk.place.text)
        here, pane = walk.filtered.standing, walk.owner
        assert isinstance(pane, Pane) and pane.view is not None
        after = (pane.view.snapshot.metrics_time or 0.0) + 60
        run.records.add(msgspec.structs.replace(run_story.iteration(641), time=after))
        await until(pilot, lambda: pane.view is not None and pane.view.snapshot.metrics_time == after)
        await pilot.pause()
        assert walk.bar.line.has_focus and walk.filtered.standing == here
        await pilot.click("#log")
        await until(pilot, lambda: not walk.bar.display)
        assert walk.filtered.pattern.text == walk.place.text
