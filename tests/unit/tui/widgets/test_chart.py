"""A chart as a whole, at any size; two curves of different length, and where the end of the shorter one is marked."""

from __future__ import annotations

import math

import pytest

from rltui.tui.ascii import to_ascii
from rltui.tui.text import Line, plain, width_of
from rltui.tui.widgets.chart import (
    ChartData,
    Curve,
    Look,
    Scale,
    chart,
    end_of_shorter,
    in_units,
    merged,
    plot_column,
    scale_of,
    whole_span,
)
from rltui.tui.widgets.plot import Bin

NAN = math.nan
XS = [0.0, 1.0, 2.0, 3.0, 4.0]


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


def test_the_end_of_the_shorter_one_is_marked() -> None:
    own, other = steps(20_000, 200_000), steps(5_000, 100_000)
    data = ChartData("reward", "", "series-1", own.xs, own.ys, other=other)
    assert end_of_shorter(data) == 100_000
    drawn = plain(chart(data, 66, 10, "ascii", Look(span=whole_span(own, other)))).replace("!", "╎")
    columns = {column for row in drawn.split("\n")[1:-1] for column, sign in enumerate(row[6:]) if sign == "o"}
    end = {column for row in drawn.split("\n")[1:-1] for column, sign in enumerate(row[6:]) if sign == "╎"}
    assert len(end) == 1 and max(columns) <= min(end) == 30


def test_two_that_end_together_have_no_mark() -> None:
    own = steps(0, 100)
    assert end_of_shorter(ChartData("reward", "", "series-1", own.xs, own.ys, other=steps(50, 100))) is None


def picture(look: Look, ys: list[float], width: int = 11, height: int = 6, **more: object) -> list[str]:
    data = ChartData("kl", "", "series-1", XS, ys, **more)  # type: ignore[arg-type]
    return plain(chart(data, width, height, "ascii", look)).split("\n")


def roles(lines: list[Line], role: str) -> str:
    return "".join(text for line in lines for text, name in line if role in name.split())


def test_a_logarithmic_axis_makes_a_straight_line_of_powers() -> None:
    assert picture(Look(log=True), [1, 10, 100, 1000, 10000], height=7) == [
        "kl   10,000",
        "  10k┤    *",
        " 1000┤   *",
        "  100┤  *",
        "   10┤ *",
        "    1┤*",
        "     └0 ─ 4",
    ]


def test_values_without_a_place_on_a_logarithmic_axis_are_a_gap_and_said() -> None:
    lines = picture(Look(log=True), [1, 10, -5, 0, 100], width=30)
    assert "≤ 0 left out" in lines[4]
    data = ChartData("kl", "", "series-1", XS, [1, 10, -5, 0, 100])
    assert "5" not in roles(chart(data, 30, 6, "ascii", Look(log=True)), "series-1")
    assert "nothing above 0" in "\n".join(picture(Look(log=True), [0, -1, -2, 0, -3], width=50))


def test_bins_that_reach_below_zero_keep_their_mean() -> None:
    bins = [Bin(0, -1.0, 1.0, 10.0, False), Bin(1, -2.0, -1.0, 0.0, False), Bin(2, 10.0, 10.0, 10.0, False)]
    scale = scale_of([bins], log=True)
    assert scale is not None
    assert scale.bounds == pytest.approx((0.0, 1.0))
    drawn = in_units(bins, scale)
    assert [(item.column, item.low, item.mean, item.high, item.broken) for item in drawn] == [
        (0, 0.0, 0.0, 1.0, False),
        (2, 1.0, 1.0, 1.0, True),
    ]
    assert scale_of([[Bin(0, -1, -1, -1, False)]], log=True) is None
    assert scale_of([[]]) is None


def test_ticks_between_the_ends() -> None:
    assert Scale(0, 8).ticks(3) == [2, 4, 6]
    assert Scale(0, 8).ticks(1) == [4]
    assert Scale(-1, 3, log=True).ticks(9) == [0, 1, 2]
    assert Scale(-1, 3, log=True).label(2) == "100"


def test_a_part_of_the_run_is_drawn_over_the_whole_width() -> None:
    assert picture(Look(span=(2.0, 4.0)), [9, 9, 0, 1, 2]) == [
        "kl     2.00",
        "    2┤    *",
        "     │   *",
        "     │ **",
        "    0┤*",
        "     └2 ─ 4",
    ]


def test_the_cursor_reads_the_value_in_force_there() -> None:
    data = ChartData("kl", "", "series-1", XS, [0, 1, 2, 3, 4])
    lines = chart(data, 26, 6, "ascii", Look(cursor=2.6))
    assert plain(lines[:1]) == "kl                    2.00"
    assert len(roles(lines, "cursor")) == 4  # one cell in each row of the plot
    assert "│" in roles(lines, "key")


def test_the_cursor_outside_what_is_shown_is_not_drawn() -> None:
    data = ChartData("kl", "", "series-1", XS, [0, 1, 2, 3, 4])
    lines = chart(data, 26, 6, "ascii", Look(cursor=0.5, span=(2.0, 4.0)))
    assert roles(lines, "cursor") == ""
    assert plain(lines[:1]).endswith("0")


def test_an_unknown_value_at_the_cursor_is_a_dash() -> None:
    assert picture(Look(cursor=1.0), [0, NAN, 2, 3, 4])[0].endswith("–")


def test_another_run_has_its_own_sign_and_its_figure() -> None:
    other = Curve([0.0, 2.0, 4.0], [4.0, 4.0, 4.0])
    lines = picture(Look(), [0, 0, 0, 0, 0], width=24, other=other)
    assert lines[0] == "kl             0  o 4.00"
    assert "o" * 18 in lines[1]
    assert "*" * 18 in lines[4]
    assert "╍ 4.00" in plain(chart(ChartData("kl", "", "series-1", XS, [0.0] * 5, other=other), 24, 6, "braille"))


def test_beyond_a_run_s_end_there_is_no_value() -> None:
    curve = Curve([0.0, 2.0, 4.0], [1.0, 2.0, 3.0], 2)
    assert [curve.at(x) for x in (-1.0, 0.0, 1.9, 2.0, 2.1)] == [None, 1.0, 1.0, 2.0, None]
    longer = Curve([0.0, 3.0, 5.0, 9.0], [1.0, 2.0, 3.0, 4.0])
    assert picture(Look(), [0, 0, 0, 0, 0], width=24, other=longer)[0].endswith("o 2.00")  # as far as this one
    assert picture(Look(), [0, 0, 0, 0, 0], width=24, other=curve)[0].endswith("o 2.00")  # its last
    assert picture(Look(cursor=3.0), [0, 0, 0, 0, 0], width=24, other=curve)[0].endswith("o –")


def test_both_figures_are_read_where_the_shorter_run_ends() -> None:
    """A bot of 4 million steps is no better than one of 2 million only because it has trained longer."""
    shorter = Curve([0.0, 2.0], [7.0, 8.0])
    assert picture(Look(), [0, 1, 2, 3, 4], width=24, other=shorter)[0].endswith(" 2.00  o 8.00")
    assert picture(Look(), [0, 1, NAN, 3, 4], width=36, other=shorter)[0].endswith(" 1.00 1 it. ago  o 8.00")
    assert picture(Look(), [0, 1, 2, 3, NAN], width=36, other=shorter)[0].endswith(" 2.00  o 8.00")


def test_figures_that_are_given_take_the_place_of_the_newest() -> None:
    other = Curve([0.0, 2.0], [7.0, 8.0])
    data = ChartData("kl", "", "series-1", XS, [0, 1, 2, 3, 4], other=other, figures=(2.5, None))
    assert plain(chart(data, 26, 6, "ascii")).split("\n")[0].endswith(" 2.50  o –")
    assert plain(chart(data, 26, 6, "ascii", Look(cursor=1.0))).split("\n")[0].endswith(" 1.00  o 7.00")


def test_another_run_s_braille_line_is_dashed() -> None:
    other = Curve([0.0, 4.0], [0.0, 0.0])
    data = ChartData("kl", "", "series-1", XS, [1.0] * 5, other=other)
    row = plain(chart(data, 30, 6, "braille"))
    own, there = row.split("\n")[1][6:], row.split("\n")[4][6:]
    assert " " not in own
    assert " " in there.strip()


def test_an_other_run_without_the_metric_is_left_out() -> None:
    assert picture(Look(), [0, 1, 2, 3, 4], other=Curve((), (), 0)) == picture(Look(), [0, 1, 2, 3, 4])


def test_a_smoothed_line_has_the_raw_one_behind_it() -> None:
    data = ChartData("kl", "", "series-1", XS, [0, 8, 0, 8, 0])
    lines = chart(data, 36, 9, "ascii", Look(smoothing=10))
    assert "*" in roles(lines, "series-1")
    assert "." in roles(lines, "band")
    assert "*" not in roles(lines, "band")


def test_guides_show_ticks_and_the_usual_range() -> None:
    data = ChartData("kl", "", "series-1", XS, [0, 2, 4, 6, 8], usual=(3.0, None))
    lines = chart(data, 26, 11, "ascii", Look(guides=True))
    assert set(roles(lines, "good")) == {"╌"}
    assert "┈" in roles(lines, "track")
    assert [line[:6].strip() for line in plain(lines).split("\n")[1:-1] if "┤" in line[:6]] == [
        "8┤",
        "6┤",
        "4┤",
        "2┤",
        "0┤",
    ]


def test_columns_of_timesteps() -> None:
    assert plot_column(5, (0, 10), 20) == 10
    assert plot_column(10, (0, 10), 20) == 19
    assert plot_column(11, (0, 10), 20) is None
    assert plot_column(3, (3, 3), 20) is None
    assert whole_span(Curve([5.0, 100.0], [1, 1]), Curve([50.0, 70.0, 300.0], [1, 1, 1], 2)) == (0.0, 100.0)


def test_layers_lie_over_each_other() -> None:
    assert merged([("a  ", "x"), ("bb ", "y")], {2: ("|", "m")}) == [("a", "x"), ("b", "y"), ("|", "m")]
    assert merged([("aa ", "x")], {}, cursor=1) == [("a", "x"), ("a", "x cursor"), (" ", "")]


def test_every_look_fits_every_size_and_has_ascii_stand_ins(subtests: pytest.Subtests) -> None:
    for style in ("braille", "blocks", "ascii"):
        with subtests.test(style=style):
            other = Curve(XS, [3.0, NAN, 1.0, -1.0, 2.0])
            data = ChartData(
                "a long metric name",
                "steps/s",
                "series-1",
                XS,
                [0, NAN, 2, -3, 4],
                [1, 3],
                other=other,
                usual=(0.0, 1.0),
            )
            looks = [
                Look(log=True, guides=True, cursor=2.0, smoothing=10, selected=True),
                Look(span=(1.0, 2.0), guides=True, cursor=2.0),
                Look(span=(9.0, 9.0)),
            ]
            for look in looks:
                for width in range(1, 44, 3):
                    for height in range(1, 12):
                        lines = chart(data, width, height, style, look)  # type: ignore[arg-type]
                        assert len(lines) <= height
                        assert all(width_of(line) <= max(width, 1) for line in lines), (width, height)
                        if style == "ascii":
                            assert "?" not in to_ascii(plain(lines))
