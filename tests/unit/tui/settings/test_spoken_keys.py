"""Keys that texts name are those in force."""

from __future__ import annotations

import re

import pytest

from rltui.tui.cockpit.screen import PANES
from rltui.tui.keymap import pane_key, with_keys
from rltui.tui.panes import live_match
from rltui.tui.panes.pane import Pane

OWN = {"freeze": ("f5",), "log.next_hit": ("ctrl+n",), "run": ("colon",)}


def test_a_key_is_the_users_own_where_there_is_one() -> None:
    text = "<freeze> goes on, <log.next_hit> and <log.earlier_hit> go to hits"
    assert with_keys(text, {}) == "z goes on, n and e go to hits"
    assert with_keys(text, OWN) == "f5 goes on, ^n and e go to hits"


def test_what_is_no_action_is_text() -> None:
    assert with_keys('File "<module>", <1 % of <lambda>', OWN) == 'File "<module>", <1 % of <lambda>'


def test_the_key_of_a_pane() -> None:
    assert [pane_key("i", {}), pane_key("i", OWN), pane_key("9", OWN), pane_key("", OWN)] == ["i", ":", "9", ""]


def test_what_only_the_palette_has_is_said_so() -> None:
    assert with_keys("<save_layout>", {}) == "^p"


@pytest.mark.parametrize("pane", PANES, ids=Pane.pane_id.__func__)  # type: ignore[attr-defined]
def test_no_pane_spells_a_key_or_names_an_action_that_is_none(pane: type[Pane]) -> None:
    """A letter by itself would be a key, which the user may have given another one."""
    for text in (pane.HELP, pane.EMPTY, live_match.OFF):
        assert "<" not in with_keys(text, {})
        letters = re.findall(r"(?<![\w'’.])(?<!\d )[b-zC-NP-Z](?![\w'’.])", text)
        assert [letter for letter in letters if (pane.pane_id(), letter) not in ALLOWED] == []


ALLOWED = {("lut", "n")}  # ln n
