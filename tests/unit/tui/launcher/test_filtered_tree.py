"""What a filter leaves of the launcher's tree: rows under their headings, milestones by the run that they are of, too."""

from __future__ import annotations

from rltui.tui.launcher.tree import MILESTONES, PROFILES, RUNS, Item, filtered
from rltui.tui.text import text_line
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import Row

ALPHA, BETA = Item("group", "alpha/Phase1"), Item("group", "beta/Phase1")
ROWS = [
    Row(PROFILES, text_line("▾ Profiles")),
    Row(Item("profile", "quick.toml"), text_line("✓ quick")),
    Row(None, ()),
    Row(RUNS, text_line("▾ Runs")),
    Row(Item("run", "alpha"), text_line("■ alpha")),
    Row(MILESTONES, text_line("▾ Milestones")),
    Row(ALPHA, text_line("▾ alpha · Phase1")),
    Row(Item("milestone", "a10"), text_line("10 M reward 3.2")),
    Row(Item("milestone", "a5"), text_line("5 M reward 1.2")),
    Row(BETA, text_line("▾ beta · Phase1")),
    Row(Item("milestone", "b5"), text_line("5 M reward 7.0")),
]


def names(text: str) -> list[str]:
    return [row.key.name for row in filtered(ROWS, Pattern(text)) if isinstance(row.key, Item)]


def test_a_run_s_name_finds_its_milestones_too() -> None:
    assert names("alpha") == ["Profiles", "Runs", "alpha", "Milestones", "alpha/Phase1", "a10", "a5"]
    assert names("!alpha") == ["Profiles", "quick.toml", "Runs", "Milestones", "beta/Phase1", "b5"]


def test_a_group_without_a_find_goes_and_sections_stay() -> None:
    assert names("7.0") == ["Profiles", "Runs", "Milestones", "beta/Phase1", "b5"]
    assert names("5 M") == ["Profiles", "Runs", "Milestones", "alpha/Phase1", "a5", "beta/Phase1", "b5"]
    assert names("zzz") == ["Profiles", "Runs", "Milestones"]


def test_no_filter_and_none_that_is_an_expression_leave_all() -> None:
    assert filtered(ROWS, Pattern("")) == ROWS
    assert filtered(ROWS, Pattern("[")) == ROWS
