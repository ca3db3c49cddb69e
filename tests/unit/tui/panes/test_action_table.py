"""The action table's pane: findings, warnings of use, figures, rows."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.run_state.fold import fold
from rltui.tui.panes.action_table import ActionTablePane, TableUsage
from tests.fakes import figure_stories
from tests.fakes.drawn_panes import STORY, drawn

USED = fold(STORY, [figure_stories.table_used()])


def lut_pane(table_hash: str = figure_stories.HASH, outcome: str = "pass") -> ActionTablePane:
    pane = ActionTablePane()
    pane.verdict = figure_stories.verdict(table_hash, outcome)
    return pane


def test_lut_says_first_what_should_not_be_so() -> None:
    lines = drawn(lut_pane(), USED).split("\n")
    assert lines[0].startswith("! turns left 4.0 %, right 31 %: it leans to one side")
    assert "✓ the table passes: 2 of 2 checks; the table mine.csv" in lines
    assert "rows     5 of 6 chosen, 1 never" in lines
    assert "sides    turns left 4 %, right 31 %" in lines
    assert "buttons  jump 5 % · boost 35 % · handbrake 0 %" in lines
    first = next(line for line in lines if "full throttle" in line)
    assert first.split() == ["0", "50.00", "%", "5.00", "k", "full", "throttle"]
    wide = next(line for line in drawn(lut_pane(), USED, 100).split("\n") if "full throttle" in line)
    assert wide.split()[3] == "━" * 12, "there is room for a bar too"
    assert lines[-1].split()[:2] == ["5", "0"] and lines[-1].endswith("(never)")


def test_lut_by_row() -> None:
    pane = lut_pane()
    pane.by_use = False
    rows = [line.split()[0] for line in drawn(pane, USED).split("\n")[-6:]]
    assert rows == ["0", "1", "2", "3", "4", "5"]


def test_lut_sums_a_long_table_no_more_often_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sums: list[TableUsage] = []

    def total(use: TableUsage) -> int:
        sums.append(use)
        return sum(use.counts)

    monkeypatch.setattr(TableUsage, "total", property(total))
    often = []
    for rows in (60, 600):
        drawn(lut_pane(), fold(STORY, [figure_stories.table_used((500,) * rows)]))
        often.append(len(sums))
        sums.clear()
    assert often[0] == often[1] > 0


def test_lut_says_whose_entropy_is_whose() -> None:
    """Twice 3 rows, sure each time: ln 6 together, and 0 for one decision."""
    metrics = {**STORY.metrics, "train/entropy": 0.02}
    together = fold(replace(STORY, metrics=metrics), [figure_stories.table_used((500,) * 6)])
    text = " ".join(drawn(lut_pane(), together).split())
    assert "all choices together 1.79 of 1.79 nats, as 6 rows chosen alike; one decision 0.02" in text
    unknown = fold(replace(STORY, metrics={}), [figure_stories.table_used()])
    assert "one decision – (mean of the newest update" in " ".join(drawn(lut_pane(), unknown).split())


def test_lut_findings_stand_above_the_figures() -> None:
    lines = drawn(lut_pane(outcome="fail"), USED).split("\n")
    assert "✗ no row boosts and turns left: the bot could only turn slowly" in lines
    assert any(line.startswith("✗ the table fails") for line in lines)


def test_lut_tells_a_table_that_is_another_one_than_the_run_s() -> None:
    pane = lut_pane(table_hash="beef" * 16)
    text = drawn(pane, USED)
    assert "✗ the run plays another table than its profile names now: c0ffeec0ffee in the" in text
    assert "full throttle" not in text, "the words of another table would be a lie"
    pane.of_run = figure_stories.verdict()
    assert "full throttle, right, boost" in drawn(pane, USED), "those of the checkpoint's table are none"


def test_lut_while_nothing_is_known() -> None:
    text = drawn(ActionTablePane(), STORY)
    assert "examining the table" in text
    assert "Here will be how often each row" in text
    pane = ActionTablePane()
    pane.verdict = replace_problem("the table could not be examined: no such profile")
    assert "! the table could not be examined: no such profile" in drawn(pane, USED)


def replace_problem(problem: str) -> object:
    return msgspec.structs.replace(figure_stories.verdict(), problem=problem, words=[], controls=[])
