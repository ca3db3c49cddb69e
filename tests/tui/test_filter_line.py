"""One filter line, the same rules in launcher, browser and form: live, kept by enter, taken away by esc, the cursor as one expects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.widgets.filter_bar import FilterLine
from rltui.tui.widgets.list_view import ListView
from tests.fakes import browsed
from tests.fakes.edited_form import form
from tests.fakes.screens import launcher, two_runs, until


@dataclass(frozen=True)
class Place:
    """rows: the list's id. text: finds some rows, not the first. nothing: finds none."""

    name: str
    rows: str
    text: str
    nothing: str = "zzzz"


PLACES = [Place("launcher", "tree", "beta"), Place("browser", "states", "pinned"), Place("form", "form-rows", "epochs")]


@asynccontextmanager
async def opened(place: Place, data: DataDir) -> AsyncIterator[Pilot[str]]:
    if place.name == "browser":
        browsed.fill(data)
        async with browsed.browser(data) as pilot:
            yield pilot
    elif place.name == "launcher":
        two_runs(data)
        async with launcher(data) as pilot:
            yield pilot
    else:
        async with form(data) as pilot:
            yield pilot


def rows(pilot: Pilot[str], place: Place) -> ListView:
    return pilot.app.screen.query_one(f"#{place.rows}", ListView)


def line(pilot: Pilot[str]) -> FilterLine:
    return pilot.app.screen.query_one(FilterLine)


def keys(pilot: Pilot[str], place: Place) -> list[object]:
    return [row.key for row in rows(pilot, place).rows]


def found(pilot: Pilot[str]) -> list[object]:
    return list(line(pilot)._filtered.matching()[0])


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
async def test_every_list_is_filtered_by_the_same_rules(place: Place, data: DataDir) -> None:
    async with opened(place, data) as pilot:
        start = rows(pilot, place).key
        for walk in (
            filters_as_one_types,
            enter_keeps_it,
            opens_again_with_what_was_typed,
            arrows_move_in_what_is_left,
            no_expression_filters_nothing,
            exclamation_mark_inverts,
            nothing_matches,
            words_are_never_cut,
        ):
            rows(pilot, place).go_to(start)
            await walk(pilot, place)
            assert (
                rows(pilot, place).has_focus
                and not line(pilot).is_open
                and str(rows(pilot, place).border_subtitle) == ""
            )


async def filters_as_one_types(pilot: Pilot[str], place: Place) -> None:
    """And the cursor is on something found. Esc in the line brings all back, and the cursor to where it was."""
    await pilot.press("down")
    here, before = rows(pilot, place).key, keys(pilot, place)
    await pilot.press("slash", *place.text)
    await until(pilot, lambda: len(keys(pilot, place)) < len(before))
    assert line(pilot).has_focus
    assert rows(pilot, place).key in found(pilot) and rows(pilot, place).key != here
    words = str(rows(pilot, place).border_subtitle)
    assert words.startswith(f"/{place.text}  {len(found(pilot))} of ")
    assert words.endswith("· enter sets it · esc clears")
    await pilot.press("escape")
    assert (rows(pilot, place).key, keys(pilot, place)) == (here, before)


async def enter_keeps_it(pilot: Pilot[str], place: Place) -> None:
    """Esc in the list takes the filter away, and leaves the cursor where it is."""
    before = keys(pilot, place)
    await pilot.press("slash", *place.text, "enter")
    await until(pilot, lambda: rows(pilot, place).has_focus)
    assert not line(pilot).is_open
    here = rows(pilot, place).key
    assert len(keys(pilot, place)) < len(before)
    assert here in found(pilot)
    screen = pilot.app.screen
    await pilot.press("escape")
    assert len(keys(pilot, place)) >= len(before)
    assert rows(pilot, place).key == here
    assert pilot.app.screen is screen, "the filter goes first, the screen stays"


async def opens_again_with_what_was_typed(pilot: Pilot[str], place: Place) -> None:
    await pilot.press("slash", *place.text, "enter")
    await until(pilot, lambda: rows(pilot, place).has_focus)
    await pilot.press("slash")
    assert line(pilot).value == place.text
    await pilot.press("escape", "slash")
    assert line(pilot).value == ""
    await pilot.press("escape")


async def arrows_move_in_what_is_left(pilot: Pilot[str], place: Place) -> None:
    await pilot.press("slash", "e")
    await until(pilot, lambda: bool(found(pilot)))
    here = rows(pilot, place).key
    await pilot.press("down")
    assert rows(pilot, place).key != here
    assert line(pilot).has_focus
    await pilot.press("escape")


async def no_expression_filters_nothing(pilot: Pilot[str], place: Place) -> None:
    """And says why."""
    here = rows(pilot, place).key
    await pilot.press("slash", "left_square_bracket")
    await until(pilot, lambda: "✗ no regular expression" in str(rows(pilot, place).border_subtitle))
    assert "unterminated character set" in str(rows(pilot, place).border_subtitle)
    assert rows(pilot, place).key == here
    assert here in keys(pilot, place)
    await pilot.press("escape")


async def exclamation_mark_inverts(pilot: Pilot[str], place: Place) -> None:
    await pilot.press("slash", *place.text)
    await until(pilot, lambda: line(pilot).value == place.text and bool(found(pilot)))
    some, (_, of) = set(found(pilot)), line(pilot)._filtered.matching()
    await pilot.press("home", "exclamation_mark")
    await until(pilot, lambda: line(pilot).value.startswith("!") and not some & set(found(pilot)))
    assert len(found(pilot)) == of - len(some)
    await pilot.press("escape")


async def nothing_matches(pilot: Pilot[str], place: Place) -> None:
    """Esc still brings all back."""
    here, before = rows(pilot, place).key, keys(pilot, place)
    await pilot.press("slash", *place.nothing, "enter")
    await until(pilot, lambda: f"/{place.nothing}  0 of " in str(rows(pilot, place).border_subtitle))
    assert found(pilot) == []
    await pilot.press("slash", "escape")
    await until(pilot, lambda: keys(pilot, place) == before)
    assert here in keys(pilot, place)


async def words_are_never_cut(pilot: Pilot[str], place: Place) -> None:
    """The way out is the last to go."""
    await pilot.resize_terminal(80, 24)
    await pilot.press("slash", *place.text)
    await until(pilot, lambda: str(rows(pilot, place).border_subtitle).startswith(f"/{place.text}  "))
    words = str(rows(pilot, place).border_subtitle)
    assert words.endswith(" · esc clears")
    bottom = screen_text(pilot.app.screen).split("\n")[rows(pilot, place).region.bottom - 1]
    assert f" {words} " in bottom
    await pilot.press("escape")
