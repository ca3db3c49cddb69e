"""The turtle pane: a table for each arena group, references, charts."""

from __future__ import annotations

from rltui.run_state.fold import fold
from rltui.tui.panes.turtle import TurtlePane
from tests.fakes import figure_stories
from tests.fakes.drawn_panes import STORY, drawn


def test_turtle_is_empty_until_a_car_turtles() -> None:
    text = " ".join(drawn(TurtlePane(), STORY).split())
    assert "No car has turtled yet" in text
    assert "T makes new episodes begin on the roof" in text


def test_turtle_table_references_and_charts() -> None:
    turtled = [figure_stories.turtled(index, 10, 8, 1, ticks=100.0) for index in range(608, 620)]
    text = drawn(TurtlePane(), fold(STORY, [*turtled, figure_stories.turtled(620, 0, 0)]), 100, 40)
    rows = {line[:15].strip(): line[15:].split() for line in text.split("\n")[:10]}
    assert rows["turtled"] == ["0", "120", "120"]
    assert rows["cut"] == ["0", "12", "12"], "counted apart"
    assert rows["success"] == ["–", "89", "%", "(82–94)", "89", "%", "(82–94)"]
    assert rows["mean time"][1:] == ["0.8", "s,", "100", "ticks"] * 2
    assert "median 90 ticks (0.8 s), p90 140 (1.2 s); 1 it. ago" in text
    order = [
        line.split("  ")[1] for line in text.split("\n") if (line.startswith("  ") and "━" in line) or "never" in line
    ]
    assert [name.strip() for name in order] == ["jump press", "this bot, median", "throttle + roll", "throttle", "idle"]
    assert any("recovered" in line and "turtled" in line and "/min" in line for line in text.split("\n")), (
        "charts side by side"
    )
