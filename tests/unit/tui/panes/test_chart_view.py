"""What keys make of the look of the charts: zoom, pan, cursor, selection, filter; by hand on a run of 100 iterations."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.chart_view import (
    CORE,
    Cell,
    Charting,
    ChartScene,
    all_keys,
    cells,
    chart_keys,
    draw_cells,
    first_row,
    grid,
    moved_cursor,
    next_count,
    next_smoothing,
    shown_marks,
    span_of,
    usual_keys,
    with_cursor,
    zoomed,
)
from rltui.tui.text import width_of
from rltui.tui.widgets.filter_bar import Pattern
from tests.fakes import run_story
from tests.fakes.drawn_panes import STORY

ROWS = 100
STEPS = array("d", (1000.0 * (row + 1) for row in range(ROWS)))
HISTORY = History(ROWS, STEPS, {"train/approx_kl": array("d", [0.01] * ROWS), "reward/touch": array("d", [1.0] * ROWS)})
WHOLE = (0.0, 100_000.0)


def test_zooming_keeps_the_end_and_follows_the_newest() -> None:
    half = zoomed(Charting(), HISTORY, WHOLE, 0.5)
    assert (half.window, half.end) == (50_000.0, None)
    assert span_of(half, WHOLE) == (50_000.0, 100_000.0)
    assert span_of(half, (0.0, 120_000.0)) == (70_000.0, 120_000.0)
    assert zoomed(half, HISTORY, WHOLE, 2.0) == Charting()


def test_zooming_goes_round_the_cursor() -> None:
    at = with_cursor(Charting(), 20_000.0, WHOLE)
    half = zoomed(at, HISTORY, WHOLE, 0.5)
    assert span_of(half, WHOLE) == (10_000.0, 60_000.0)  # a fifth of what is shown still lies before it


def test_zooming_ends_at_a_few_iterations() -> None:
    charting = Charting()
    for _ in range(20):
        charting = zoomed(charting, HISTORY, WHOLE, 0.5)
    assert charting.window == pytest.approx(4000.0)


def test_the_cursor_comes_up_at_the_newest_and_moves_by_columns() -> None:
    charting = moved_cursor(Charting(), HISTORY, WHOLE, 0, 50)
    assert charting.cursor == 100_000.0
    assert moved_cursor(charting, HISTORY, WHOLE, -1, 50).cursor == 98_000.0  # two iterations share a column
    assert moved_cursor(charting, HISTORY, WHOLE, -1, 500).cursor == 99_000.0  # never less than one
    assert moved_cursor(charting, HISTORY, WHOLE, 9, 50).cursor == 100_000.0
    assert moved_cursor(charting, HISTORY, WHOLE, -999, 50).cursor == 1000.0
    assert moved_cursor(Charting(), History(), WHOLE, 1, 50) == Charting()


def test_a_cursor_that_leaves_the_view_takes_it_along() -> None:
    half = replace(zoomed(Charting(), HISTORY, WHOLE, 0.5), cursor=50_000.0)
    moved = moved_cursor(half, HISTORY, WHOLE, -5, 50)
    start, end = span_of(moved, WHOLE)
    assert moved.cursor is not None
    assert start <= moved.cursor <= end
    assert end - start == 50_000.0


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["zoom", "cursor"]), st.integers(-12, 12)), max_size=30))
def test_no_sequence_of_keys_leaves_the_run(keys: list[tuple[str, int]]) -> None:
    charting = Charting()
    for key, number in keys:
        if key == "zoom":
            charting = zoomed(charting, HISTORY, WHOLE, 0.5 if number > 0 else 2.0)
        else:
            charting = moved_cursor(charting, HISTORY, WHOLE, number, 30)
            assert charting.cursor is not None
            start, end = span_of(charting, WHOLE)
            assert start - 1e-6 <= charting.cursor <= end + 1e-6
        start, end = span_of(charting, WHOLE)
        assert WHOLE[0] - 1e-6 <= start < end <= WHOLE[1] + 1e-6


def test_what_rows_columns_and_smoothing_go_through() -> None:
    counts = [None, 1, 2, 3, None]
    assert [next_count(now, 3) for now in counts[:-1]] == counts[1:]
    assert [next_smoothing(now) for now in (0, 10, 50, 200, 7)] == [10, 50, 200, 0, 0]


def test_the_grid_as_asked_for() -> None:
    assert grid(140, 32, Charting(across=2, down=3)) == (2, 3)
    assert grid(30, 32, Charting(across=6))[0] == 2  # a chart has to have some columns
    assert grid(140, 7, Charting(down=8)) == (4, 2)


def test_charts_are_the_usual_ones_the_chosen_or_the_found() -> None:
    assert chart_keys(Charting(), HISTORY) == list(CORE)
    assert chart_keys(Charting(keys=("reward/touch",)), HISTORY) == ["reward/touch"]
    assert chart_keys(Charting(keys=("train/entropy",), pattern=Pattern("TOUCH|kl")), HISTORY) == [
        "reward/touch",
        "train/approx_kl",
    ]
    assert chart_keys(Charting(pattern=Pattern("!touch")), HISTORY) == ["train/approx_kl"]
    assert all_keys(History(1, STEPS, {"clock": STEPS, "iteration": STEPS, "timesteps": STEPS, "lut/left": STEPS})) == [
        "lut/left"
    ]
    assert len(usual_keys(HISTORY)) == len(CORE)


def test_patterns(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [
        ("", True),
        ("kl", True),
        ("^kl$", False),
        ("!kl", False),
        ("!zoo", True),
        ("!", True),
        ("[", True),
    ]
    for text, found in cases:
        with subtests.test(text=text, found=found):
            assert Pattern(text).matches("train/approx_kl", "KL divergence") is found
            assert bool(Pattern(text).problem) is (text == "[")


def test_charts_in_view_follow_the_selected_one() -> None:
    keys = [f"zoo/{index}" for index in range(20)]
    size = (76, 24)  # 2 across, 3 down
    assert grid(*size) == (2, 3)
    first = 0
    for at, wanted in ((0, 0), (5, 0), (6, 1), (19, 7), (13, 6), (0, 0)):
        first = first_row(keys, Charting(at=at), size, first)
        assert first == wanted, at
        assert any(cell.index == at for cell in cells(keys, Charting(at=at), size, first))


def test_cells_fill_the_room_without_touching() -> None:
    found = cells([f"zoo/{index}" for index in range(6)], Charting(), (76, 24), top=2)
    assert [(cell.left, cell.top, cell.width, cell.height) for cell in found] == [
        (0, 2, 37, 8), (39, 2, 37, 8), (0, 10, 37, 8), (39, 10, 37, 8), (0, 18, 37, 8), (39, 18, 37, 8),
    ]  # fmt: skip
    assert cells(["zoo/0", "zoo/1"], Charting(at=1, alone=True), (80, 24)) == [Cell(1, "zoo/1", 0, 0, 80, 24)]
    assert cells([], Charting(alone=True), (80, 24)) == cells([], Charting(), (80, 24)) == []


def test_a_point_in_a_chart_is_a_moment() -> None:
    cell = Cell(0, "zoo/0", 10, 2, 26, 8)  # a plot of 20 columns from column 16 on
    assert cell.timesteps(16, (0.0, 100.0)) == pytest.approx(2.5)
    assert cell.timesteps(35, (0.0, 100.0)) == pytest.approx(97.5)
    assert (cell.timesteps(0, (0.0, 100.0)), cell.timesteps(99, (0.0, 100.0))) == (0.0, 100.0)
    assert cell.holds(10, 2)
    assert not cell.holds(36, 2)


def story_scene(charting: Charting, **more: object) -> ChartScene:

    return ChartScene(fold(RunSnapshot(run="alpha"), run_story.told(300)), charting, **more)  # type: ignore[arg-type]


def test_all_charts_of_a_run_fit_any_size() -> None:
    other = OtherRun("beta", story_scene(Charting()).snapshot.history)
    for charting in (Charting(), Charting(pattern=Pattern("."), smoothing=10, cursor=3e6, guides=True, log=True)):
        scene = story_scene(charting, other=other, focused=True)
        keys = chart_keys(charting, scene.snapshot.history)
        for width, height in ((12, 5), (40, 9), (76, 24), (140, 40)):
            lines = draw_cells(scene, cells(keys, charting, (width, height)))
            assert len(lines) <= height
            assert all(width_of(line) <= width for line in lines)


def test_the_grid_of_charts() -> None:
    assert grid(76, 24) == (2, 3)
    assert grid(76, 19) == (2, 3)
    assert grid(25, 9) == (1, 1)
    assert grid(140, 32)[0] == 4
    assert usual_keys(STORY.history)[: len(CORE)] == list(CORE)
    assert usual_keys(RunSnapshot().history) == list(CORE)


def test_many_milestones_do_not_hide_the_curves() -> None:
    marks = tuple(ChartMark(steps, "milestone", "") for steps in range(5, 205, 5))
    shown = shown_marks(RunSnapshot(marks=(*marks, ChartMark(33, "resume", "resumed"))))
    assert shown == [35, 70, 105, 140, 175, 33]
    assert shown_marks(RunSnapshot(marks=marks[:2])) == [5, 10]
    assert shown_marks(RunSnapshot()) == []
