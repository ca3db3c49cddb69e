"""The log pane: levels, following and standing still."""

from __future__ import annotations

from dataclasses import replace

from rltui.events.records import LogLine
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.pane import View
from rltui.tui.text import plain
from tests.fakes.drawn_panes import NOW


def test_log_follows_until_moved() -> None:
    lines = [LogLine(time=NOW, level="info", source="trainer", message=f"line {index}") for index in range(50)]
    view = View(fold(RunSnapshot(), lines), NOW)
    pane = LogPane()
    assert plain(pane.draw(view, 60, 5)).endswith("line 49")
    pane.move(-39)
    assert not pane.at_newest
    assert "line 10" in plain(pane.draw(view, 60, 5))
    more = LogLine(time=NOW, level="info", source="trainer", message="new")
    moved = View(fold(view.snapshot, [more]), NOW)
    assert "line 10" in plain(pane.draw(moved, 60, 5))
    assert "1 new line" in pane.subtitle(moved)
    pane.move(100)
    assert plain(pane.draw(moved, 60, 5)).endswith("new")


def test_log_levels() -> None:
    debug = LogLine(time=NOW, level="debug", source="runs", message="small thing")
    view = View(fold(RunSnapshot(), [debug]), NOW)
    pane = LogPane()
    assert plain(pane.draw(view, 60, 5)) == "nothing of level info or above"
    pane.next_level(), pane.next_level(), pane.next_level()
    assert pane.level == "debug"
    assert "small thing" in plain(pane.draw(view, 60, 5))


def test_the_output_of_a_trainer_that_did_not_start_is_shown() -> None:
    view = View(replace(RunSnapshot(alive=False), output="rltui: no meshes in /x"), NOW)
    assert "no meshes in /x" in plain(LogPane().draw(view, 60, 5))
