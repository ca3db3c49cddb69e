"""What is typed to filter with, however it is meant: an endless expression is given up and says so; what keys do in a pane's line."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, cast

import pytest
from textual.content import Content

from rltui.tui.expression import PATIENCE, SLOW, Expression, TooSlow
from rltui.tui.widgets import filter_bar
from rltui.tui.widgets.filter_bar import PASTE, Pattern, TypedFilter, filter_words, one_line, typed_text

WORD = "a_name_of_a_run_that_is_as_long_as_they_are_in_traces" * 2
ENDLESS = [r"(\w+\s?)+:", r"(a|\w\w?)*!x", "(.*)*=", r"((\w+)*)*-", r"\w*\w*\w*\w*\w*\w*\w*-"]


@pytest.fixture(autouse=True)
def nothing_is_known_yet() -> None:
    filter_bar._expression.cache_clear()


def test_an_endless_one_is_given_up_finds_all_and_marks_nothing(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rltui.tui.expression.PATIENCE", PATIENCE / 5)
    for text in ENDLESS:
        for inverted in ("", "!"):
            with subtests.test(text=inverted + text):
                search = Pattern(inverted + text)
                assert [search.matches("  " + WORD) for _ in range(2000)] == [True] * 2000
                assert search.problem == "✗ takes too long to look for"
                assert search.places(WORD) == ()
        filter_bar._expression.cache_clear()
        with subtests.test(marked=text):
            search = Pattern(text)
            assert all(search.places(WORD) == () for _ in range(2000))
            assert search.problem


def test_many_that_are_slow_are_together_as_slow_as_one() -> None:
    expression = Expression("x")
    expression._count(PATIENCE / 2)
    assert not expression.problem
    expression._count(PATIENCE / 2)
    assert expression.problem


def test_one_that_ends_is_searched_as_ever() -> None:
    assert Pattern("(touch|goal)+").matches("reward/Touch")
    assert not Pattern("!touch").matches("reward/touch")
    assert Pattern("o").places("good") == [(1, 2), (2, 3)]
    assert Pattern("!o").places("good") == Pattern("").places("good") == ()
    assert "unterminated" in Pattern("[").problem and Pattern("[").matches("x")


def test_short_searches_never_add_up_to_a_slow_one() -> None:
    expression = Expression("x")
    for _ in range(10_000):
        expression._count(SLOW)
    assert not expression.problem


def test_one_that_was_given_up_is_not_tried_again_however_little_time_it_was_given() -> None:
    class Endless:
        def finditer(self, text: str) -> NoReturn:
            raise TooSlow

    expression = Expression("x")
    expression._compiled = cast(Any, Endless())
    with pytest.raises(TooSlow):
        expression.places("text")
    assert expression.problem


def test_what_python_cannot_take_is_no_expression_either() -> None:
    for text in ("a{99999999999999999999}", "(" * 3000 + ")" * 3000, "(?a)(?u)x"):
        assert Pattern(text).problem.startswith("✗ no regular expression") and Pattern(text).matches("x")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such timer")
def test_other_threads_set_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would ring in the main thread."""
    timers: list[float] = []
    monkeypatch.setattr(signal, "setitimer", lambda which, seconds: timers.append(seconds))
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(Pattern("touch").matches, "reward/touch").result() is True
    assert timers == []
    assert Pattern("touch").matches("reward/touch") and timers == [PATIENCE, 0.0]


def test_what_is_pasted_is_typed() -> None:
    assert one_line("re\tward/\x1b[31mtouch\nq") == "reward/[31mtouch"
    assert one_line("") == one_line("\n") == ""
    assert typed_text("kl", PASTE, "_divergence") == "kl_divergence"


def test_what_keys_type() -> None:
    assert typed_text("kl", "backspace", None) == "k"
    assert typed_text("kl", "ctrl+u", "\x15") == ""
    assert typed_text("kl", "é", "é") == "klé"
    assert typed_text("kl", "f5", None) is None


def test_enter_keeps_it_and_the_line_opens_with_it_again() -> None:
    line = TypedFilter[int]()
    line.open(3)
    assert [line.press(key, key) for key in "kl"] == ["typed", "typed"]
    assert line.press("up", None) == "ignored"
    assert (line.press("enter", "\r"), line.typing, line.pattern) == ("kept", False, Pattern("kl"))
    line.open(0)
    assert (line.typing, line.pattern, line.before) == (True, Pattern("kl"), 0)


def test_esc_drops_it_and_names_where_to_go_back_to() -> None:
    line = TypedFilter[int]()
    line.open(3)
    line.press("k", "k")
    assert (line.press("escape", None), line.typing, line.pattern, line.before) == ("dropped", False, Pattern(), 3)


def test_whatever_is_typed_is_shown_as_it_is(subtests: pytest.Subtests) -> None:
    for typing in (True, False):
        for text in ("jump", "[a-z]+", r"\[", r"x\\", r"a\[b\]", "[/]"):
            with subtests.test(typing=typing, text=text):
                typed: TypedFilter[object] = TypedFilter(Pattern(text), typing)
                shown = Content.from_markup(filter_words(typed, 24, 90, "by row", 200)).plain
                caret = "▏" if typing else ""
                assert shown.startswith(f"/{text}{caret} 24 of 90, 66 hidden · ")
                assert shown.endswith("esc clears · by row")
