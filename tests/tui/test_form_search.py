"""The profile form: fields are found by name or explanation, mistakes are gone to, values put back."""

from __future__ import annotations

import threading
from dataclasses import replace

from textual.pilot import Pilot

from rltui.profile.source import show_key
from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.checks.schema import ReferenceReader
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.screen import LauncherScreen
from tests.fakes import children
from tests.fakes.edited_form import MINE, QUICK, edited, form, screen, text
from tests.fakes.screens import launcher, until, until_shown


def here(pilot: Pilot[str]) -> str:
    row = screen(pilot).row
    return show_key(row.path) if row else ""


def fields(pilot: Pilot[str]) -> list[str]:
    return [show_key(row.path) for row in screen(pilot).field_list.fields.values() if row.kind == "field"]


async def test_a_search_finds_names_and_explanations_in_folded_sections_and_esc_ends_it(data: DataDir) -> None:
    async with form(data) as pilot:
        start, before = here(pilot), len(screen(pilot).field_list.fields)
        await pilot.press("slash", *"learning", "underscore", *"rate")
        await until(pilot, lambda: here(pilot) == "ppo.learning_rate")
        await pilot.press("escape")  # back to where the cursor was
        assert (here(pilot), len(screen(pilot).field_list.fields)) == (start, before)
        assert not screen(pilot).field_list.filtered
        await pilot.press("slash", *"learning", "underscore", *"rate", "enter")
        await until(pilot, lambda: here(pilot) == "ppo.learning_rate")
        shown = await until_shown(pilot, "esc clears")
        assert "/learning_rate" in shown and "ppo.learning_rate" in fields(pilot) and "ppo.epochs" not in fields(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: len(screen(pilot).field_list.fields) >= before)
        assert here(pilot) == "ppo.learning_rate"  # the cursor stays with what was found
        await pilot.press("slash", *"Discount")  # stands in an explanation only
        await until(pilot, lambda: "ppo.gamma" in fields(pilot))


async def test_a_search_that_finds_nothing_says_so_and_esc_ends_it_then_the_form(data: DataDir) -> None:
    async with form(data) as pilot:
        await pilot.press("slash", *"zzz", "enter")
        await until_shown(pilot, "No field has that")
        await pilot.press("escape")
        await until(pilot, lambda: not screen(pilot).field_list.filtered)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))


async def test_the_short_form_of_a_reward_is_marked_and_undone(data: DataDir) -> None:
    async with form(data, text="schema = 1\n\n[rewards]\ntouch = 1.0\n") as pilot:
        await edited(pilot, "rewards.touch.weight", "3")
        await until(pilot, lambda: "touch = 3" in text(pilot) and screen(pilot).field_list.has_focus)
        assert screen(pilot).session.state.changed(("rewards", "touch", "weight"))
        await pilot.press("u")
        assert "touch = 1.0" in text(pilot)


async def test_the_next_mistake_is_opened_and_ends_a_search(data: DataDir) -> None:
    async with form(data, text=QUICK.replace("epochs = 2 ", "epochs = -3 ", 1)) as pilot:
        await until_shown(pilot, "1 mistake")
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: here(pilot) == "ppo.epochs")
        await pilot.press("home", "slash", *"kind", "enter")
        await until(pilot, lambda: here(pilot) != "ppo.epochs")
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: here(pilot) == "ppo.epochs" and not screen(pilot).field_list.filtered)


async def test_what_is_searched_for_before_the_fields_are_known_is_found_when_they_are(data: DataDir) -> None:
    known = threading.Event()
    reference = ReferenceReader(lambda command: children.schema() if known.wait(60) else b"")
    MINE.write_text(QUICK, encoding="utf-8")
    async with launcher(data, tools=replace(children.tools(), reference=reference)) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))
        await pilot.press("slash", *"touch", "enter")
        await until_shown(pilot, "No fields yet")
        known.set()
        await until(pilot, lambda: "rewards.touch.weight" in fields(pilot))
        await until(pilot, lambda: "0 of 0" not in screen_text(pilot.app.screen))
        first, left = here(pilot), fields(pilot)
        await pilot.press("escape", "home", "slash", *"touch", "enter")
        await until(pilot, lambda: fields(pilot) == left)
        assert here(pilot) == first, "on the first one found"
