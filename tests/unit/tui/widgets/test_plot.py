"""The chart's curve against small pictures drawn by hand."""

from __future__ import annotations

import math
import random

import pytest

from rltui.run_state.history import History
from rltui.tui.text import plain, width_of
from rltui.tui.widgets.bars import sparkline, sparkline_of
from rltui.tui.widgets.chart import ChartData, chart
from rltui.tui.widgets.plot import Bin, DecimationCache, band, curve, decimate, dot_columns, nice_range

NAN = math.nan


def drawn(
    xs: list[float], ys: list[float], size: tuple[int, int], style: str, bounds: tuple[float, float]
) -> list[str]:
    assert style in ("braille", "blocks", "ascii")
    bins = decimate(xs, ys, (xs[0], xs[-1]), dot_columns(size[0], style))  # type: ignore[arg-type]
    return curve(bins, bounds, size, style)  # type: ignore[arg-type]


def test_a_rising_line_in_ascii() -> None:
    assert drawn([0, 1, 2, 3], [0, 1, 2, 3], (4, 4), "ascii", (0, 3)) == [
        "   *",
        "  * ",
        " *  ",
        "*   ",
    ]


def test_a_step_is_joined_by_a_vertical() -> None:
    assert drawn([0, 1], [0, 4], (2, 5), "ascii", (0, 4)) == [
        " *",
        " *",
        " *",
        "* ",
        "* ",
    ]


def test_few_points_are_joined_by_straight_lines() -> None:
    assert drawn([0, 3, 6], [0, 3, 0], (7, 4), "ascii", (0, 3)) == [
        "   *   ",
        "  * *  ",
        " *   * ",
        "*     *",
    ]


def test_unknown_values_leave_a_gap() -> None:
    assert drawn([0, 1, 2, 3, 4, 5], [1, 1, NAN, NAN, 0, 0], (6, 2), "ascii", (0, 1)) == [
        "**    ",
        "    **",
    ]


def test_a_lone_point_between_unknown_ones_is_a_dot() -> None:
    assert drawn([0, 1, 2], [NAN, 0.0, NAN], (3, 1), "ascii", (0, 1)) == [" * "]


def test_blocks_have_two_dots_a_cell() -> None:
    assert drawn([0, 1, 2, 3], [3, 2, 1, 0], (4, 2), "blocks", (0, 3)) == [
        "▀▄  ",
        "  ▀▄",
    ]


def test_braille_has_eight_dots_a_cell() -> None:
    # dots of one cell, upper left to lower right: a falling diagonal over two columns, four rows
    assert drawn([0, 1], [3, 0], (1, 1), "braille", (0, 3)) == ["⢣"]
    assert drawn([0, 1, 2, 3], [0, 1, 2, 3], (2, 1), "braille", (0, 3)) == ["⡠⠊"]


def test_many_points_leave_their_extremes_in_the_band() -> None:
    xs = [float(x) for x in range(300)]
    ys = [0.0] * 300
    ys[151], ys[152] = 10.0, -10.0
    bins = decimate(xs, ys, (0, 299), 3)
    assert bins[1] == Bin(1, -10.0, 0.0, 10.0, False)
    assert band(bins, (-10, 10), (3, 5), "ascii") == [" . ", " . ", " . ", " . ", " . "]
    assert curve(bins, (-10, 10), (3, 5), "ascii") == ["   ", "   ", "***", "   ", "   "]


def test_decimation_loses_no_extreme() -> None:
    noise = random.Random(4)
    xs = sorted(noise.uniform(0, 1e6) for _ in range(5000))
    ys = [noise.gauss(0, 1) for _ in xs]
    for columns in (1, 7, 160):
        bins = decimate(xs, ys, (xs[0], xs[-1]), columns)
        assert min(item.low for item in bins) == min(ys)
        assert max(item.high for item in bins) == max(ys)
        assert [item.column for item in bins] == sorted({item.column for item in bins})


def test_a_bin_that_follows_an_unknown_one_is_broken_off() -> None:
    bins = decimate([0, 1, 2, 3], [1, NAN, 3, 4], (0, 3), 4)
    assert [(item.column, item.broken) for item in bins] == [(0, False), (2, True), (3, False)]


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [(0.0, 38.8, (0, 40)), (3.1, 4.5, (2.8, 4.8)), (5, 5, (4.5, 5.5)), (0, 0, (-1, 1)), (0.0061, 0.0093, (0.0056, 0.0096)),
     (1, 10, (0, 10)), (-8, -1, (-8, 0)), (-3, 7, (-5, 7.5))],
)  # fmt: skip
def test_ranges_hold_the_data_and_have_few_digits(low: float, high: float, bounds: tuple[float, float]) -> None:
    found = nice_range(low, high)
    assert found == pytest.approx(bounds)
    assert found[0] <= low <= high <= found[1]


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
    data = ChartData("reward", "", "series-1", [0, 10, 20], [1.0, 2.0, NAN])
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


def test_sparkline() -> None:
    assert sparkline([0, 1, 2, 3], [0, 1, 2, 3], 4) == "▁▃▆█"
    assert sparkline([0, 1, 2], [1, NAN, 2], 3) == "▁ █"
    assert sparkline([0, 1], [5, 5], 2) == "▅▅"
    assert sparkline((), (), 3) == "   "


@pytest.mark.parametrize("seed", range(5))
def test_a_sparkline_that_grows_is_the_one_drawn_anew(seed: int) -> None:
    """Also of an older history that shares its columns with the newer one."""
    draw, memory, grown = random.Random(seed), DecimationCache(), History()
    for _ in range(20):
        before, timesteps = grown, grown.length * 100
        rows = [
            (timesteps + 100 * row, {"x": draw.choice((NAN, draw.gauss(0, 1)))}) for row in range(draw.randrange(300))
        ]
        grown = grown.extended(rows)
        for history in (before, grown):
            assert sparkline_of(history, "x", 16, memory) == sparkline(*history.series("x"), 16)
    assert sparkline_of(grown, "y", 16, memory) == " " * 16
    assert sparkline_of(grown, "x", 0, memory) == ""
