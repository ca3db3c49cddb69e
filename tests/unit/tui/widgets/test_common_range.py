"""Two curves of different length: what of them is shown, and where the end of the shorter one is marked."""

from __future__ import annotations

import pytest

from rltui.tui.panes.comparison import common_range
from rltui.tui.text import plain
from rltui.tui.widgets.chart import ChartData, Curve, Look, chart, end_of_shorter


def steps(first: float, last: float, rows: int = 40) -> Curve:
    xs = [first + (last - first) * row / (rows - 1) for row in range(rows)]
    return Curve(xs, [float(row % 7) for row in range(rows)])


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ((20_000, 14_000_000), (5_000, 100_000), (0, 123_750)),  # a quarter of its 95,000 beyond its end
        ((5_000, 100_000), (20_000, 14_000_000), (0, 123_750)),  # whichever of the two is one's own
        ((0, 1_000), (0, 300), None),  # nearly a third: it can be seen in all of it
        ((0, 10_000_000), (5_000_000, 5_400_000), (4_900_000, 5_500_000)),  # a branch, in the middle
        ((0, 1_000), (90_000, 100_000), None),  # nothing in common
        ((0, 100), (90, 110), (85, 110)),  # not beyond the end of all
    ],
)
def test_the_part_in_which_the_shorter_one_is_seen(
    own: tuple[float, float], other: tuple[float, float], expected: tuple[float, float] | None
) -> None:
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
