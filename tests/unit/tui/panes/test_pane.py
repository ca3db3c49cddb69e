"""All panes: tabs in a border, and lines that fit at every size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.content import Content

from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.cockpit.screen import PANES
from rltui.tui.panes.action_table import ActionTablePane
from rltui.tui.panes.curriculum import CurriculumPane
from rltui.tui.panes.live_match import LiveMatchPane
from rltui.tui.panes.machine import MachinePane
from rltui.tui.panes.machine_probe import MachineSample, ProcessLoad
from rltui.tui.panes.pane import Pane, View, tab_markup, tabs
from rltui.tui.panes.run_info import RunInfoPane
from rltui.tui.panes.status import StatusPane
from rltui.tui.panes.turtle import TurtlePane
from rltui.tui.panes.workers import WorkersPane as RealWorkersPane
from rltui.tui.text import width_of
from tests.fakes import figure_stories, run_story
from tests.fakes.drawn_panes import NOW, STORY


class APane(Pane):
    """Has something to show, and wants no rows."""

    def has_nothing(self, view: View) -> bool:
        return False


class WorkersPane(APane):
    NUMBER, NAME, SHORT = "4", "Workers", "Workers"


class LutPane(APane):
    NUMBER, NAME, SHORT, WANTS = "5", "Lookup table", "LUT", 12


class AuditPane(APane):
    NUMBER, NAME, SHORT, SLOT = "a", "Audit", "Audit", "side"


def markup_text(text: str) -> str:
    return Content.from_markup(text).plain


def tabs_at(width: int) -> str:
    panes = [WorkersPane(), LutPane(), AuditPane()]
    return markup_text(tab_markup(tabs(panes[1], panes, width), panes[1], False))


def test_as_many_tabs_are_named_as_there_is_room_for() -> None:
    assert tabs_at(80) == "4 Workers  5 LUT  a Audit"
    assert tabs_at(24 + 6) == "4  5 LUT  a Audit"
    assert tabs_at(16 + 6) == "4  5 LUT  a"
    assert tabs_at(8 + 6) == "4  5 LUT"
    assert tabs_at(3) == "5 LUT"


def test_the_nearest_are_named_first_and_every_key_is_there() -> None:
    panes = [pane() for pane in PANES]

    def row(key: str) -> str:
        shown = next(pane for pane in panes if key == pane.NUMBER)
        return markup_text(tab_markup(tabs(shown, panes, 80), shown, False))

    assert row("1") == "1 Metrics  2 Rewards  3 Time  4 Workers  5 Table  6 7 8  9 Log  0 # i m a"
    keys = "1234567890#ima"
    for key in keys:
        text = row(key)
        assert len(text) <= 80 - 6
        assert [word for word in text.split() if len(word) == 1] == list(keys)
        at = keys.index(key)
        for pane in panes[max(at - 1, 0) : at + 2]:
            assert f"{pane.NUMBER} {pane.SHORT}" in text


def test_a_pane_alone_in_its_slot_has_its_whole_name() -> None:
    pane = LutPane()
    [tab] = tabs(pane, [pane], 40)
    assert (tab.key, tab.name, tab.start, tab.end) == ("5", "Lookup table", 3, 17)
    assert "reverse" in tab_markup([tab], pane, True)
    assert "reverse" not in tab_markup([tab], pane, False)


def test_tabs_say_which_columns_are_theirs() -> None:
    panes = [WorkersPane(), LutPane()]
    one, two = tabs(panes[0], panes, 80)
    assert (one.start, one.end) == (3, 12)
    assert (two.start, two.end) == (14, 19)


RICH = fold(
    RunSnapshot(run="alpha"),
    [
        *run_story.opening(),
        figure_stories.plan(stages=True),
        *(figure_stories.on_the_way(index, 20.0 + index) for index in range(1, 30)),
        *(figure_stories.turtled(index, 10, 8, 1) for index in range(608, 640)),
        figure_stories.table_used(),
    ],
)
SIZES = [(width, height) for width in (1, 2, 5, 11, 19, 20, 37, 60, 78, 121, 140) for height in (1, 2, 3, 5, 9, 23, 40)]
LOW = [(20, 3), (38, 10)]  # sizes at which no line of the panes with scrolling figures is cut


def test_every_pane_fits_every_size(subtests: pytest.Subtests) -> None:
    runs = {"empty": RunSnapshot(), "story": STORY, "ended": replace(STORY, alive=False), "rich": RICH}
    for kind in (StatusPane, *(kind for kind in PANES if not issubclass(kind, LiveMatchPane))):
        pane = kind()
        if isinstance(pane, ActionTablePane):
            pane.verdict = figure_stories.verdict(outcome="fail")
        if isinstance(pane, MachinePane):
            pane.sample = MachineSample(
                NOW, cores=(97.0, 98.0), processes=(ProcessLoad("trainer", 4242, 98.4, 402_000_000),)
            )
        scrolls = isinstance(
            pane, ActionTablePane | TurtlePane | CurriculumPane | MachinePane | RunInfoPane | RealWorkersPane
        )
        for name, snapshot in runs.items():
            with subtests.test(pane=kind.pane_id(), run=name):
                assert [size for size in SIZES if not fits(pane, snapshot, *size, least=40)] == []
                assert [size for size in LOW if scrolls and not fits(pane, snapshot, *size, least=0)] == []


def fits(pane: Pane, snapshot: RunSnapshot, width: int, height: int, least: int) -> bool:
    """No more lines than rows; none wider than the pane, from `least` columns on."""
    pane.view = View(snapshot, NOW)
    lines = pane.paint(width, height)
    return len(lines) <= height and (width < least or all(width_of(line) <= width for line in lines))
