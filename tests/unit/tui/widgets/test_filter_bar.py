"""Patterns, however they are meant: what would take for ever is refused or given up, and says so; how borders show them."""

from __future__ import annotations

import time

import pytest
from textual.content import Content

from rltui.tui.widgets import filter_bar
from rltui.tui.widgets.filter_bar import LONGEST, PATIENCE, SLOW, Pattern, filter_words

WORD = "a_name_of_a_run_that_is_as_long_as_they_are_in_traces" * 2
ENDLESS = [
    r"(\w+\s?)+:", r"(a|\w\w?)*!x", "(.*)*=", r"((\w+)*)*-", r"\w*\w*\w*\w*\w*\w*\w*-", "(a|a){20,}b",
    r"(?x)(\w+) +:", r"(\w+ ?)(?#)+:", r"(?ix:(\w+) +)",
]  # fmt: skip
USUAL = ["kl", "^touch|goal$", "reward/.*ball", r"worker \d+ .*died", r"\(never\)", r"[()*+{]+", r"[^]*]", "(a|b)c?", r"\)*", "(?P<x>a)", "(?i)kl"]  # fmt: skip


def test_an_endless_one_is_refused_matches_all_and_marks_nothing(subtests: pytest.Subtests) -> None:
    for text in ENDLESS:
        for inverted in ("", "!"):
            with subtests.test(text=inverted + text):
                pattern = Pattern(inverted + text)
                assert pattern.problem.startswith("✗ could take for ever")
                assert pattern.matches("  " + WORD)
                assert pattern.places(WORD) == ()


def test_a_usual_one_is_none_of_them(subtests: pytest.Subtests) -> None:
    for text in USUAL:
        with subtests.test(text=text):
            assert not Pattern(text).problem


def test_the_worst_that_is_left_is_given_up_between_two_texts(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filter_bar, "PATIENCE", PATIENCE / 10)
    for text in (".*.*.*-", r"\w*\w*\w*-", r"!.*a.*a.*-"):
        with subtests.test(text=text):
            pattern = Pattern(text)
            for _ in range(1000):
                pattern.matches("a" * 100_000)
            assert "too long" in pattern.problem
            assert pattern.matches("x")


def test_slow_searches_add_up_and_short_ones_never_do(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += took
        return now

    monkeypatch.setattr(time, "thread_time", clock)
    for took, given_up in ((SLOW / 2, False), (PATIENCE / 3, True)):
        pattern = Pattern("x")
        for _ in range(10_000):
            pattern.matches("text")
        assert bool(pattern.problem) is given_up, took


def test_each_repeat_leaves_less_text_to_search() -> None:
    for repeats, longest in enumerate(LONGEST):
        pattern = Pattern("z" + "y*" * repeats)
        assert pattern.matches("x" * (longest - 1) + "z")
        assert not pattern.matches("x" * longest + "z")


def test_one_that_ends_is_searched_as_ever() -> None:
    assert Pattern("(touch|goal)").matches("reward/Touch")
    assert not Pattern("!touch").matches("reward/touch")
    assert Pattern("o").places("good") == [(1, 2), (2, 3)]
    assert Pattern("!o").places("good") == Pattern("").places("good") == ()
    assert "unterminated" in Pattern("[").problem and Pattern("[").matches("x")


def test_what_python_cannot_take_is_no_expression_either() -> None:
    for text in ("a{99999999999999999999}", "(" * 3000 + ")" * 3000, "(?a)(?u)x"):
        assert Pattern(text).problem.startswith("✗ no regular expression") and Pattern(text).matches("x")


def test_whatever_is_typed_is_shown_as_it_is(subtests: pytest.Subtests) -> None:
    for text in ("jump", "[a-z]+", r"\[", r"x\\", r"a\[b\]", "[/]"):
        with subtests.test(text=text):
            shown = Content.from_markup(filter_words(Pattern(text), 24, 90, 200, "by row")).plain
            assert shown == f"/{text} 24 of 90 · esc clears · by row"
    for room in range(20, 60):
        shown = Content.from_markup(filter_words(Pattern("a" * 50), 24, 90, room, "by row")).plain
        assert shown.endswith(" 24 of 90 · esc clears") and len(shown) <= max(room, 32)
