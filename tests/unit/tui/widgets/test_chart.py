"""A chart as a whole, at any size; two curves of different length, and where the end of the shorter one is marked."""

from __future__ import annotations

import math

import pytest

from rltui.tui.text import plain, width_of
from rltui.tui.widgets.chart import ChartData, Curve, Look, chart, common_range, end_of_shorter


def test_chart_as_a_whole() -> None:
    data = ChartData("reward", "pts", "series-1", [0, 10, 20, 30], [0.0, 10.0, 20.0, 30.0], [20])
    assert plain(chart(data, 22, 6, "ascii")) == "\n".join(
        [
            "reward        30.0 pts",
            "   32┤          ┊  ***",
            "     │        *****",
            "     │   *****  ┊",
            "    0┤***       ┊",
            "     └0 ─────────── 30",
        ]
    )


def test_chart_says_how_old_its_newest_figure_is() -> None:
    data = ChartData("reward", "", "series-1", [0, 10, 20], [1.0, 2.0, math.nan])
    assert plain(chart(data, 30, 4, "ascii")[:1]) == "reward          2.00 1 it. ago"


def test_chart_without_data_says_so_at_any_size() -> None:
    data = ChartData("reward", "", "series-1", (), ())
    assert "–" in plain(chart(data, 30, 6, "ascii")[:1])
    assert "no figure yet" in plain(chart(data, 30, 6, "ascii"))
    for width in range(1, 40):
        for height in range(1, 9):
            lines = chart(data, width, height, "braille")
            assert len(lines) <= height
            assert all(width_of(line) <= max(width, 1) for line in lines), (width, height)


def test_chart_fits_any_size() -> None:
    xs = [float(x) for x in range(50)]
    data = ChartData("a long metric name", "steps/s", "series-1", xs, [math.sin(x) for x in xs], [5, 9])
    for width in range(1, 45):
        for height in range(1, 10):
            lines = chart(data, width, height, "braille")
            assert len(lines) <= height
            assert all(width_of(line) == width for line in lines[1:]), (width, height)


def steps(first: float, last: float, rows: int = 40) -> Curve:
    xs = [first + (last - first) * row / (rows - 1) for row in range(rows)]
    return Curve(xs, [float(row % 7) for row in range(rows)])


def test_the_part_in_which_the_shorter_one_is_seen(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[float, float], tuple[float, float], tuple[float, float] | None]] = [
        ((20_000, 14_000_000), (5_000, 100_000), (0, 123_750)),  # a quarter of its 95,000 beyond its end
        ((5_000, 100_000), (20_000, 14_000_000), (0, 123_750)),  # whichever of the two is one's own
        ((0, 1_000), (0, 300), None),  # nearly a third: it can be seen in all of it
        ((0, 10_000_000), (5_000_000, 5_400_000), (4_900_000, 5_500_000)),  # a branch, in the middle
        ((0, 1_000), (90_000, 100_000), None),  # nothing in common
        ((0, 100), (90, 110), (85, 110)),  # not beyond the end of all
    ]
    for own, other, expected in cases:
        with subtests.test(own=own, other=other):
            assert common_range(steps(*own), steps(*other)) == (pytest.approx(expected) if expected else None)


def test_a_run_of_one_iteration_has_a_part_too_and_one_of_none_has_not() -> None:
    found = common_range(steps(20_000, 14_000_000), Curve([20_000.0], [1.0]))
    assert found == (15_000.0, 25_000.0)  # a quarter of its steps to either side
    assert common_range(steps(0, 10), Curve((), (), 0)) is None


def test_the_shorter_one_fills_most_of_its_chart_and_its_end_is_marked() -> None:
    own, other = steps(20_000, 14_000_000), steps(5_000, 100_000)
    data = ChartData("reward", "", "series-1", own.xs, own.ys, other=other)
    assert end_of_shorter(data) == 100_000
    drawn = plain(chart(data, 66, 10, "ascii", Look(span=common_range(own, other)))).replace("!", "╎")
    columns = {column for row in drawn.split("\n")[1:-1] for column, sign in enumerate(row[6:]) if sign == "o"}
    end = {column for row in drawn.split("\n")[1:-1] for column, sign in enumerate(row[6:]) if sign == "╎"}
    assert len(end) == 1 and max(columns) <= min(end) <= 60 * 100 / 120
    assert len(columns) > 15  # dashed: every second one at most
    lost = plain(chart(data, 66, 10, "ascii", Look()))
    assert sum("o" in row for row in lost.split("\n")) <= 8 and lost.count("o") <= 8  # among all timesteps: one column


def test_steps_that_go_back_leave_all_to_be_seen() -> None:
    assert common_range(Curve([5, 1, 3], [0, 0, 0], 3), Curve([2, 9], [0, 0], 2)) is None


def test_two_that_end_together_have_no_mark() -> None:
    own = steps(0, 100)
    assert end_of_shorter(ChartData("reward", "", "series-1", own.xs, own.ys, other=steps(50, 100))) is None
