"""What keys make of the look of the charts: zoom, pan, cursor, selection, filter; by hand on a run of 100 iterations."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.chart_header import cursor_line, head_lines, help_lines, look_line, near_marks
from rltui.tui.panes.chart_view import (
    CORE,
    Cell,
    Charting,
    ChartScene,
    all_keys,
    cells,
    charted,
    draw_cells,
    first_row,
    grid,
    moved_cursor,
    next_count,
    next_smoothing,
    panned,
    span_of,
    usual_keys,
    with_cursor,
    zoomed,
)
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.panes.pane import View
from rltui.tui.text import plain, width_of
from rltui.tui.widgets.filter_bar import Pattern
from tests.fakes import run_story

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


def test_panning_stays_within_the_run() -> None:
    assert panned(Charting(), WHOLE, -1) == Charting()
    half = zoomed(Charting(), HISTORY, WHOLE, 0.5)
    earlier = panned(half, WHOLE, -1)
    assert span_of(earlier, WHOLE) == (37_500.0, 87_500.0)
    for _ in range(9):
        earlier = panned(earlier, WHOLE, -1)
    assert span_of(earlier, WHOLE) == (0.0, 50_000.0)
    for _ in range(9):
        earlier = panned(earlier, WHOLE, 1)
    assert earlier.end is None


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
@given(st.lists(st.tuples(st.sampled_from(["zoom", "pan", "cursor"]), st.integers(-12, 12)), max_size=30))
def test_no_sequence_of_keys_leaves_the_run(keys: list[tuple[str, int]]) -> None:
    charting = Charting()
    for key, number in keys:
        if key == "zoom":
            charting = zoomed(charting, HISTORY, WHOLE, 0.5 if number > 0 else 2.0)
        elif key == "pan":
            charting = panned(charting, WHOLE, 1 if number > 0 else -1)
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
    assert charted(Charting(), HISTORY) == list(CORE)
    assert charted(Charting(keys=("reward/touch",)), HISTORY) == ["reward/touch"]
    assert charted(Charting(keys=("train/entropy",), pattern=Pattern("TOUCH|kl")), HISTORY) == [
        "reward/touch",
        "train/approx_kl",
    ]
    assert charted(Charting(pattern=Pattern("!touch")), HISTORY) == ["train/approx_kl"]
    assert charted(Charting(pattern=Pattern("(")), HISTORY) == list(CORE)
    assert all_keys(History(1, STEPS, {"clock": STEPS, "iteration": STEPS, "timesteps": STEPS, "lut/left": STEPS})) == [
        "lut/left"
    ]
    assert len(usual_keys(HISTORY)) == len(CORE)


@pytest.mark.parametrize(
    ("text", "found"),
    [("", True), ("kl", True), ("^kl$", False), ("!kl", False), ("!zoo", True), ("!", True), ("[", True)],
)
def test_patterns(text: str, found: bool) -> None:
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
    from rltui.run_state.fold import fold

    return ChartScene(fold(RunSnapshot(run="alpha"), run_story.told(300)), charting, **more)  # type: ignore[arg-type]


def test_the_cursor_line_says_when_that_was() -> None:
    row = run_story.iteration(200)
    text = plain([cursor_line(story_scene(Charting(cursor=row.timesteps + 1.0)))])
    from rltui import formatting

    assert f"{row.timesteps + 1:,} timesteps  iteration 200  {formatting.clock(row.time)}" in text
    assert "milestone 5 M" in plain([cursor_line(story_scene(Charting(cursor=5_000_000.0)))])
    assert "milestone" not in text


def test_a_cursor_beyond_the_run_says_so() -> None:
    assert "9,000,000 timesteps, which this run has not reached" in plain(
        [cursor_line(story_scene(Charting(cursor=9e6)))]
    )


def test_marks_near_the_cursor_nearest_first() -> None:
    marks = [
        ChartMark(100, "milestone", "005M"),
        ChartMark(101, "changed", "learning rate 0.0001"),
        ChartMark(500, "resume", "resumed"),
    ]
    assert near_marks(marks, 102.0, (0.0, 1000.0)) == ["learning rate 0.0001", "milestone 5 M"]
    assert near_marks(marks, 300.0, (0.0, 1000.0)) == []


def test_what_differs_from_the_plain_look_is_said() -> None:
    assert look_line(story_scene(Charting())) == ()
    words = plain([look_line(story_scene(Charting(window=1e6, log=True, smoothing=50, guides=True)))])
    assert words == "zoom 5.14 M–6.14 M, follows the newest  EMA 50 iterations, raw behind  log axis  ╌ usual range"
    other = OtherRun("beta", reading=True)
    assert plain([look_line(story_scene(Charting(), other=other, style="ascii"))]) == "* alpha  o beta is being read …"
    broken = OtherRun("beta", problem="OSError: gone")
    assert "✗ OSError: gone" in plain([look_line(story_scene(Charting(), other=broken))])


def test_the_filter_line_counts_and_shows_a_bad_expression() -> None:
    scene = story_scene(Charting(pattern=Pattern("kl")))
    assert (
        plain(head_lines(scene, 1, 40, typing=True, width=80)) == "/kl▏  1 of 40 metrics  enter sets it, esc clears it"
    )
    bad = story_scene(Charting(pattern=Pattern("[a")))
    assert "✗ no regular expression: unterminated character set" in plain(head_lines(bad, 6, 40, typing=True, width=80))
    assert head_lines(story_scene(Charting()), 6, 40, typing=False, width=80) == []


def test_a_metric_is_explained_with_its_value_judged() -> None:
    snapshot = story_scene(Charting()).snapshot
    text = " ".join(plain(help_lines(snapshot, "train/entropy", None, 200)).split())
    assert "entropy train/entropy" in text
    assert "% of the 4.50 that 90 actions allow" in text
    column = array("d", [0.031])
    high = replace(snapshot, history=History(1, array("d", [1000.0]), {"train/approx_kl": column}))
    text = plain(help_lines(high, "train/approx_kl", None, 200))
    assert "0.0310 now" in text
    assert "▲ above the usual 0.002–0.02; lower the learning rate or ppo.epochs" in text
    assert "at the cursor" in plain(help_lines(high, "train/approx_kl", 1000.0, 200))
    assert "not in this run's journal yet" in plain(help_lines(high, "lut/left", None, 200))


def test_all_charts_of_a_run_fit_any_size() -> None:
    other = OtherRun("beta", story_scene(Charting()).snapshot.history)
    for charting in (Charting(), Charting(pattern=Pattern("."), smoothing=10, cursor=3e6, guides=True, log=True)):
        scene = story_scene(charting, other=other, focused=True)
        keys = charted(charting, scene.snapshot.history)
        for width, height in ((12, 5), (40, 9), (76, 24), (140, 40)):
            lines = draw_cells(scene, cells(keys, charting, (width, height)))
            assert len(lines) <= height
            assert all(width_of(line) <= width for line in lines)


def steady(value: float) -> RunSnapshot:
    history = History().extended((100 * row, {"train/explained_variance": value}) for row in range(200))
    return RunSnapshot(run="alpha", history=history)


@pytest.mark.parametrize("value", [2.4e-8, -2.4e-8])
def test_noise_of_the_arithmetic_is_shown_as_nothing_and_no_change_as_none(value: float) -> None:
    scene = ChartScene(steady(value), Charting(), "braille")
    found = cells(["train/explained_variance"], scene.charting, (90, 12), 0, 0)
    title = plain(draw_cells(scene, found)[:1])
    assert title.rstrip().endswith("unchanged in 100 it.  0.00")
    assert "0.00" in plain(help_lines(scene.snapshot, "train/explained_variance", None, 44)[1:2])
    told = plain(draw_cells(ChartScene(steady(0.25), Charting(), "braille"), found)[:1])
    assert told.rstrip().endswith("0.250")


@pytest.mark.parametrize(("rows", "words"), [(1, "1 iteration["), (2, "2 iterations[")])
def test_the_border_counts_iterations(rows: int, words: str) -> None:
    history = History().extended((100 * row, {"train/entropy": 3.0}) for row in range(rows))
    assert words in MetricsPane().subtitle(View(RunSnapshot(run="alpha", history=history), 0.0))
