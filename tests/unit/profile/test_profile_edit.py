"""Editing keeps what it does not change, byte for byte."""

from __future__ import annotations

import tomllib

import pytest

from rltui.errors import RltuiError
from rltui.profile.edit import edit

TEXT = """\
# My bot.
schema = 1

resets = [
    {kind = "kickoff", weight = 0.4},  # most of all
    {kind = "random", weight = 0.6},
]

[ppo]   # learning
learning_rate = 2e-4  # for beginners
batch = 50_000
gamma=0.990 # tight

[rewards]
touch = 1.0
"""


def test_only_the_value_changes() -> None:
    edited = edit(TEXT, {"ppo.learning_rate": "1.50e-4"})
    assert edited == TEXT.replace("2e-4  #", "1.50e-4  #")


def test_no_change_is_no_change() -> None:
    assert edit(TEXT, {}) == TEXT


def test_several_changes() -> None:
    edited = edit(TEXT, {"ppo.batch": "20_000", "ppo.gamma": "0.99", "resets[1].weight": "2", "schema": "1"})
    expected = (
        TEXT.replace("50_000", "20_000").replace("gamma=0.990", "gamma=0.99").replace("weight = 0.6", "weight = 2")
    )
    assert edited == expected


def test_a_new_key_goes_to_its_table_and_a_new_table_to_the_end() -> None:
    data = tomllib.loads(edit(TEXT, {"ppo.epochs": "3", "game.blue": "2", 'rewards."my.py:Ball"': "0.5"}))
    assert data["ppo"]["epochs"] == 3 and data["game"] == {"blue": 2} and data["rewards"]["my.py:Ball"] == 0.5


def test_a_key_is_removed() -> None:
    edited = edit(TEXT, {"ppo.batch": None, "ppo.not_there": None, "nor.this": None})
    assert edited == TEXT.replace("batch = 50_000\n", "")


def test_values(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, object]] = [("auto", "auto"), ('"auto"', "auto"), ("[1, 2]", [1, 2]), ("true", True)]
    for value, expected in cases:
        with subtests.test(value=value, expected=repr(expected)):
            assert tomllib.loads(edit(TEXT, {"ppo.batch": value}))["ppo"]["batch"] == expected


def test_keys_that_cannot_be(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "a b", "schema.below", "resets[7].weight", "resets.x"]
    for key in cases:
        with subtests.test(key=key):
            with pytest.raises(RltuiError) as caught:
                edit(TEXT, {key: "1"})
            assert caught.value.exit_code == 2


def test_text_that_is_not_toml() -> None:
    with pytest.raises(RltuiError, match="not TOML"):
        edit("[ppo\n", {"ppo.batch": "1"})


def test_line_ends_stay_as_they_are() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert edit(text, {"ppo.batch": "1_000"}) == text.replace("50_000", "1_000")


def test_new_lines_end_as_all_others_do() -> None:
    text = "schema = 1\r\n\r\n[ppo]\r\nepochs = 2\r\n"
    edited = edit(text, {"label": "'a'", "ppo.gamma": "0.9", "rewards.touch": "1.0"})
    assert "\n" not in edited.replace("\r\n", "") and "label" in edited and "touch" in edited
    mixed = "schema = 1\n[ppo]\r\nepochs = 2\r\n"
    assert edit(mixed, {"ppo.epochs": "3"}) == mixed.replace("= 2", "= 3")


def test_a_table_of_a_list_of_tables_stays_one() -> None:
    with pytest.raises(RltuiError, match=r"is a table, and cannot be 7"):
        edit("[[resets]]\nkind = 'kickoff'\n", {"resets[0]": "7"})
