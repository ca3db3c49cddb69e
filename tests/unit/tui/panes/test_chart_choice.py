"""The list in which charts are marked, and what comes of it: order, attention, and the usual set."""

from __future__ import annotations

import pytest

from rltui.run_state.history import History
from rltui.tui.panes.chart_header import chart_picker, chosen
from rltui.tui.panes.chart_view import Charting, all_keys, charted, usual_keys
from tests.fakes import run_story

HISTORY = History().extended((row.timesteps, row.metrics) for row in map(run_story.iteration, range(1, 4)))
USUAL = usual_keys(HISTORY)
OTHER = next(key for key in all_keys(HISTORY) if key not in USUAL)


def test_all_metrics_are_listed_and_those_charted_are_marked() -> None:
    picker = chart_picker(Charting(), HISTORY)
    assert [entry.key for entry in picker.entries] == all_keys(HISTORY)
    assert picker.marked == set(USUAL)
    assert chart_picker(Charting(keys=(OTHER,)), HISTORY).marked == {OTHER}


@pytest.mark.parametrize("marked", [set(), set(USUAL)], ids=["none", "the usual ones"])
def test_none_or_just_the_usual_ones_is_the_usual_set_which_grows(marked: set[str]) -> None:
    picker = chart_picker(Charting(keys=(OTHER,)), HISTORY)
    picker.marked = set(marked)
    assert chosen(picker, Charting(keys=(OTHER,)), HISTORY).keys is None


def test_what_was_charted_keeps_its_place_and_the_attention() -> None:
    before = Charting(at=2)
    picker = chart_picker(before, HISTORY)
    picker.marked = {*USUAL[1:], OTHER}
    after = chosen(picker, before, HISTORY)
    assert after.keys == (*USUAL[1:], OTHER)
    assert charted(after, HISTORY)[after.at] == USUAL[2]
    picker.marked = {USUAL[0], OTHER}
    assert chosen(picker, before, HISTORY).at == 0  # that chart is gone
