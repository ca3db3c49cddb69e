"""The filter of rewards, workers, action table and audit: one set of rules, those of the lists of launcher, browser and form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec
import pytest
from textual import events
from textual.pilot import Pilot

from rltui.events.commands import CommandApplied
from rltui.events.records import CommandLogged
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.panes.filterable import NOTHING, FilterablePane
from rltui.tui.text import plain
from rltui.tui.widgets.filter_bar import PASTE
from rltui.tui.widgets.footer import Footer
from tests.fakes import run_story
from tests.fakes.fake_run import FakeRun
from tests.fakes.figured import opened, rich_run
from tests.fakes.screens import until, until_shown


@dataclass(frozen=True)
class Place:
    """text: finds some rows, neither the first nor the last. there, gone: words of a row that it finds, and of one that it hides."""

    name: str
    key: str
    text: str
    there: str
    gone: str


PLACES = [
    Place("rewards", "2", "_ball$", "face_ball", "in_air"),
    Place("workers", "4", "killed", "killed", " started in"),
    Place("lut", "5", "NEVER", "(never)", "full throttle"),
    Place("audit", "a", "flag", "flag 2", "checkpoint"),
]
SIZES = [(80, 24), (120, 40), (200, 50)]


def logged(number: int, command: str) -> CommandLogged:
    return CommandLogged(
        time=run_story.now_of() + number, command=command, by="ada on tower, pid 1", outcome=CommandApplied(number, "done", 0.1)
    )  # fmt: skip


def told() -> FakeRun:
    """Several rows in each of the four panes."""
    run = rich_run()
    for number, command in enumerate(["pause", "flag 2", "resume", "flag 4", "milestone"]):
        run.records.add(logged(number, command))
    return run


Check = Callable[[Pilot[str], FilterablePane, Place], Awaitable[None]]


async def in_each(
    subtests: pytest.Subtests, check: Check, size: tuple[int, int] = (120, 40), run: FakeRun | None = None
) -> None:
    """Each of the panes in one cockpit, once it has the focus and rows."""
    async with opened(run or told(), size) as pilot:
        for place in PLACES:
            with subtests.test(place=place.name, size=size):
                await pilot.press(place.key)
                pane = pilot.app.screen.query_one(f"#{place.name}", FilterablePane)
                await until(pilot, lambda pane=pane: pane.has_focus and len(pane._keys) > 1)  # type: ignore[misc]
                await check(pilot, pane, place)


def border(pane: FilterablePane) -> str:
    return str(pane.render_str(pane._subtitle))


def lines(pane: FilterablePane) -> str:
    return plain(pane.lines)


async def test_it_filters_as_one_types_and_counts_what_it_hides(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        of = len(pane._keys)
        assert place.gone in lines(pane)
        await pilot.press("slash", *place.text)
        await until(pilot, lambda: f"/{place.text}▏" in border(pane))
        assert place.there in lines(pane)
        assert place.gone not in lines(pane)
        found = len(pane._keys)
        assert 0 < found < of
        assert f"/{place.text}▏ {found} of {of}" in border(pane)
        assert f", {of - found} hidden · " in border(pane) or pane.outer_size.width < 44
        assert "esc clears" in border(pane)
        assert border(pane) in screen_text(pilot.app.screen), "never cut"
        assert pane._keys[pane.cursor] in pane._keys
        await pilot.press("escape")

    for size in SIZES:
        await in_each(subtests, check, size)


async def test_enter_keeps_it_and_the_footer_offers_the_pane_s_keys_again(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        footer = pilot.app.screen.query_one(Footer)
        assert "filter" in [action.name for action in footer.offered]
        await pilot.press("slash")
        await until(pilot, lambda: "filter" not in [action.name for action in footer.offered])
        await pilot.press(*place.text, "enter")
        await until(pilot, lambda: "filter" in [action.name for action in footer.offered])
        assert not pane.typing
        assert f"/{place.text} {len(pane._keys)} of " in border(pane)
        assert "enter" not in border(pane)

    await in_each(subtests, check)


async def test_esc_in_the_line_brings_all_back_and_the_cursor_to_where_it_was(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        await pilot.press("home", "down")
        here, before = pane._keys[pane.cursor], list(pane._keys)
        await pilot.press("slash", *place.text, "escape")
        await until(pilot, lambda: list(pane._keys) == before)
        assert pane._keys[pane.cursor] == here
        assert "esc clears" not in border(pane)

    await in_each(subtests, check)


async def test_esc_in_the_list_leaves_the_cursor_where_it_is(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        before = list(pane._keys)
        await pilot.press("home", "slash", *place.text, "enter", "down")
        here = pane._keys[pane.cursor]
        await pilot.press("escape")
        await until(pilot, lambda: list(pane._keys) == before)
        assert pane._keys[pane.cursor] == here
        assert isinstance(pilot.app.screen, CockpitScreen)

    await in_each(subtests, check)


async def test_an_exclamation_mark_turns_it_round(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        every = set(pane._keys)
        await pilot.press("slash", *place.text, "enter")
        some = set(pane._keys)
        await pilot.press("slash", "ctrl+u", "exclamation_mark", *place.text)
        await until(pilot, lambda: set(pane._keys) == every - some)
        await pilot.press("enter")

    await in_each(subtests, check)


async def test_no_expression_and_no_match_are_said_and_hide_nothing_by_mistake(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        of = len(pane._keys)
        await pilot.press("slash", "left_square_bracket")
        await until(pilot, lambda: "/[▏ ✗ no regular" in border(pane))
        assert len(pane._keys) == of
        await pilot.press("ctrl+u", *"zzzz", "enter")
        await until(pilot, lambda: NOTHING in lines(pane))
        assert f"/zzzz 0 of {of}" in border(pane)
        await pilot.press("down", "o", "end", "escape")
        await until(pilot, lambda: len(pane._keys) == of)

    await in_each(subtests, check)


async def test_what_is_pasted_is_typed_and_a_moved_focus_ends_the_typing(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        of = len(pane._keys)
        await pilot.press("slash")
        pane.post_message(events.Paste(place.text))
        await until(pilot, lambda: len(pane._keys) < of)
        await pilot.press("x", "backspace")
        await pilot.click("#log")
        await until(pilot, lambda: not pane.typing)
        assert PASTE not in border(pane)
        assert f"/{place.text} " in border(pane)

    await in_each(subtests, check)


async def test_new_figures_leave_filter_and_cursor_alone(subtests: pytest.Subtests) -> None:
    run = told()

    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        await pilot.press("home", "slash", *place.text, "enter")
        here = pane._keys[pane.cursor]
        assert pane.view is not None
        after = (pane.view.snapshot.metrics_time or 0.0) + 60
        run.records.add(msgspec.structs.replace(run_story.iteration(641), time=after))
        await until(pilot, lambda: pane.view is not None and pane.view.snapshot.metrics_time == after)
        await pilot.pause()
        assert pane._keys[pane.cursor] == here
        assert f"/{place.text} " in border(pane)

    await in_each(subtests, check, run=run)


async def test_the_help_page_lists_it(subtests: pytest.Subtests) -> None:
    async def check(pilot: Pilot[str], pane: FilterablePane, place: Place) -> None:
        await pilot.press("question_mark")
        await until_shown(pilot, "match")
        await pilot.press("escape")

    await in_each(subtests, check, (160, 50))
