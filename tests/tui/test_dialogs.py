"""The four dialogs, whatever they are about: how each is answered, and that none is by a slip."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.tui.capture import screen_text
from rltui.tui.text import text_line
from rltui.tui.widgets.dialogs import ChoiceDialog, ChooserDialog, Chosen, Dialog, PromptDialog, TextDialog
from tests.fakes.screens import cockpit, live_run, until, until_shown

Answers = list[object]
CHOICES = [("c", None, "Stay"), ("g", "go", "Go on"), ("s", "stop", "Stop")]
NAMES = [
    Chosen("touch", "Ball"),
    Chosen("air_touch", "Ball", lambda width: [text_line("in the air")]),
    Chosen("boost", "Car"),
]


@asynccontextmanager
async def opened(size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Pilot[str], Answers]]:
    async with cockpit(live_run(), size) as pilot:
        yield pilot, []


async def answer(pilot: Pilot[str], answers: Answers, dialog: Dialog[Any], *keys: str) -> object:
    """What the dialog is dismissed with after these keys."""
    known = len(answers)
    pilot.app.push_screen(dialog, answers.append)
    await until(pilot, lambda: pilot.app.screen is dialog)
    await pilot.press(*keys)
    await until(pilot, lambda: len(answers) > known)
    return answers[-1]


async def test_a_choice_is_made_by_letter_or_cursor_and_enter_alone_makes_the_safe_one() -> None:
    ways: dict[tuple[str, ...], str | None] = {
        ("enter",): None, ("escape",): None, ("q",): None, ("ctrl+q",): None, ("c",): None, ("g",): "go", ("s",): "stop",
        ("down", "enter"): "go", ("tab", "tab", "enter"): "stop", ("j", "j", "k", "enter"): "go", ("end", "enter"): "stop",
        ("up", "enter"): "stop", ("x", "1", "home", "enter"): None,
    }  # fmt: skip
    async with opened() as (pilot, answers):
        for keys, expected in ways.items():
            found = await answer(pilot, answers, ChoiceDialog("Go on?", CHOICES, "2 of 3"), *keys)
            assert found == expected, keys


async def test_a_line_is_judged_with_each_key_and_enter_takes_only_what_is_good() -> None:
    def judge(text: str) -> str:
        if not text.isdecimal():
            raise RltuiError("… 1, 2" if text == "n" else "no number")
        return f"! {text} is much" if len(text) > 1 else f"takes {text}"

    async with opened() as (pilot, answers):
        pilot.app.push_screen(PromptDialog("How many?", judge, "as many as", placeholder="3"), answers.append)
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press("enter")
        assert "no number" not in screen_text(pilot.app.screen), "nothing typed is no mistake"
        for typed, words in (("x", "✗ no number"), ("n", "… 1, 2"), ("12", "! 12 is much"), ("7", "✓ takes 7")):
            pilot.app.screen.query_one(Input).value = typed
            await until_shown(pilot, words)
            if words[0] in "✗…":
                await pilot.press("enter")
                assert answers == []
        await pilot.press("enter")
        await until(pilot, lambda: answers == ["7"])


async def test_a_list_is_filtered_by_words_and_takes_a_path_where_it_may() -> None:
    ways: dict[tuple[str, ...], str | None] = {
        ("enter",): "air_touch", ("escape",): None, ("home", "enter"): "touch", ("end", "enter"): "boost",
        ("down", "enter"): "boost", ("up", "enter"): "touch", (*"car", "enter"): "boost", (*"ball", "down", "enter"): "air_touch",
        (*"a", "full_stop", *"py", "enter"): "a.py", (*"mine", "enter"): "mine",
    }  # fmt: skip
    async with opened() as (pilot, answers):
        for keys, expected in ways.items():
            dialog = ChooserDialog("Which?", NAMES, own="or a path", current="air_touch")
            assert await answer(pilot, answers, dialog, *keys) == expected, keys
        pilot.app.push_screen(ChooserDialog("Which?", NAMES), answers.append)
        await pilot.press("down")
        await until_shown(pilot, "in the air")
        await pilot.press(*"mine", "enter")
        await until_shown(pilot, "nothing of that name")
        await pilot.press("ctrl+u", *"boost", "enter")
        await until(pilot, lambda: answers[-1] == "boost")


async def test_space_marks_and_takes_a_mark_back() -> None:
    async with opened() as (pilot, answers):
        marked = {"touch"}
        keys = ("space", "down", "space", *"car", "space", "enter")
        assert await answer(pilot, answers, ChooserDialog("Which?", NAMES, marked=marked), *keys) == "boost"
        assert marked == {"air_touch", "boost"}


async def test_a_text_is_read_and_enter_means_yes_where_it_asks() -> None:
    async with opened() as (pilot, answers):
        for key, expected in (("enter", True), ("escape", None), ("q", None)):
            dialog = TextDialog("Write?", lambda width: [text_line(f"line {i}") for i in range(99)], "writes")
            assert await answer(pilot, answers, dialog, "pagedown", key) == expected


async def test_no_dialog_breaks_in_the_smallest_terminal() -> None:
    async with opened() as (pilot, answers):
        for dialog in (
            ChoiceDialog("Go on?", CHOICES, "2 of 3"),
            PromptDialog("How many?", lambda text: text, "as many as"),
            ChooserDialog("Which?", NAMES),
            TextDialog("Read", lambda width: [text_line("a")]),
        ):
            pilot.app.push_screen(dialog, answers.append)
            for size in ((1, 1), (9, 3), (20, 5), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.press("down", "pagedown", "pageup", "end", "home")
                assert "cannot draw" not in screen_text(pilot.app.screen)
            await pilot.press("escape")
        await until(pilot, lambda: len(answers) == 4)
