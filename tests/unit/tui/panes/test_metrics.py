"""The metrics pane's own words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rltui.run_state.history import History
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.panes.pane import View
from rltui.tui.text import plain
from tests.fakes.drawn_panes import NOW, STORY


def test_the_border_counts_iterations(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, str]] = [(1, "1 iteration["), (2, "2 iterations[")]
    for rows, words in cases:
        with subtests.test(rows=rows, words=words):
            history = History().extended((100 * row, {"train/entropy": 3.0}) for row in range(rows))
            assert words in MetricsPane().subtitle(View(RunSnapshot(run="alpha", history=history), 0.0))


def test_a_chart_tells_its_change_where_there_is_room() -> None:
    pane = MetricsPane()
    pane.view = View(STORY, NOW)
    pane.charting = replace(pane.charting, alone=True)
    wide, narrow = (plain(pane.paint(width, 12)).split("\n")[0] for width in (60, 30))
    assert re.search(r"^reward / episode +\+\d\.\d+ in 150 it\. +\d+\.\d$", wide), wide
    assert "in 100" not in narrow and narrow.startswith("reward / episode")
