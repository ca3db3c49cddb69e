"""Curves against small pictures drawn by hand; what the cache gives is what looking at all rows anew would find."""

from __future__ import annotations

import math
import random
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.tui.widgets.plot import (
    BLOCK,
    MOST_COLUMNS,
    Bin,
    Blocks,
    DecimationCache,
    band,
    curve,
    dot_columns,
    nice_range,
)

NAN = math.nan
FIGURES = st.one_of(st.just(NAN), st.floats(-1e6, 1e6))


def binned(xs: list[float], ys: list[float], span: tuple[float, float], columns: int) -> list[Bin]:
    return DecimationCache().bins(xs, ys, len(xs), span, columns)


def drawn(
    xs: list[float], ys: list[float], size: tuple[int, int], style: str, bounds: tuple[float, float]
) -> list[str]:
    assert style in ("braille", "blocks", "ascii")
    bins = binned(xs, ys, (xs[0], xs[-1]), dot_columns(size[0], style))  # type: ignore[arg-type]
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
    bins = binned(xs, ys, (0, 299), 3)
    assert bins[1] == Bin(1, -10.0, 0.0, 10.0, False)
    assert band(bins, (-10, 10), (3, 5), "ascii") == [" . ", " . ", " . ", " . ", " . "]
    assert curve(bins, (-10, 10), (3, 5), "ascii") == ["   ", "   ", "***", "   ", "   "]


def test_decimation_loses_no_extreme() -> None:
    noise = random.Random(4)
    xs = sorted(noise.uniform(0, 1e6) for _ in range(5000))
    ys = [noise.gauss(0, 1) for _ in xs]
    for columns in (1, 7, 160):
        bins = binned(xs, ys, (xs[0], xs[-1]), columns)
        assert min(item.low for item in bins) == min(ys)
        assert max(item.high for item in bins) == max(ys)
        assert [item.column for item in bins] == sorted({item.column for item in bins})


def test_a_bin_that_follows_an_unknown_one_is_broken_off() -> None:
    bins = binned([0, 1, 2, 3], [1, NAN, 3, 4], (0, 3), 4)
    assert [(item.column, item.broken) for item in bins] == [(0, False), (2, True), (3, False)]


def test_ranges_hold_the_data_and_have_few_digits(subtests: pytest.Subtests) -> None:
    for low, high, bounds in (
        (0.0, 38.8, (0, 40)), (3.1, 4.5, (2.8, 4.8)), (5, 5, (4.5, 5.5)), (0, 0, (-1, 1)), (0.0061, 0.0093, (0.0056, 0.0096)),
        (1, 10, (0, 10)), (-8, -1, (-8, 0)), (-3, 7, (-5, 7.5)),
    ):  # fmt: skip
        with subtests.test(low=low, high=high):
            found = nice_range(low, high)
            assert found == pytest.approx(bounds)
            assert found[0] <= low <= high <= found[1]


def same(found: list[Bin], wanted: list[Bin]) -> None:
    assert [(item.column, item.low, item.high, item.broken) for item in found] == [
        (item.column, item.low, item.high, item.broken) for item in wanted
    ]
    assert [item.mean for item in found] == pytest.approx([item.mean for item in wanted], rel=1e-9, abs=1e-6)


def noise(rows: int, seed: int, gaps: float = 0.1) -> tuple[array[float], array[float]]:
    dice = random.Random(seed)
    xs = array("d", sorted(dice.uniform(0, 1e6) for _ in range(rows)))
    ys = array("d", (NAN if dice.random() < gaps else dice.gauss(0, 1) for _ in range(rows)))
    return xs, ys


def naive_bins(xs: Sequence[float], ys: Sequence[float], span: tuple[float, float], columns: int) -> list[Bin]:
    """Each slice of the span looked through by itself."""
    (start, end), found, broken = span, [], False
    step = (end - start) / columns if end > start else 1.0
    for column in range(columns):
        low, high = bisect_left(xs, start + column * step), bisect_left(xs, start + (column + 1) * step)
        rows = ys[low : max(high, bisect_right(xs, end)) if column == columns - 1 else high]
        known = [value for value in rows if not math.isnan(value)]
        if known:
            mean = math.fsum(known) / len(known)
            found.append(Bin(column, min(known), mean, max(known), broken and bool(found)))
        broken = bool(len(rows) and not known) or (broken and not known)
    return found


def test_bins_are_those_of_a_look_at_all_rows(subtests: pytest.Subtests) -> None:
    for rows in (1, BLOCK - 1, BLOCK, BLOCK + 1, 1000, 5000):
        xs, ys = noise(rows, rows)
        for columns in (1, 7, 160):
            for span in ((xs[0], xs[-1]), (0.0, xs[-1])):
                with subtests.test(rows=rows, columns=columns, span=span):
                    wanted = naive_bins(xs, ys, span, columns)
                    same(DecimationCache().bins(xs, ys, rows, span, columns), wanted)


def test_bins_of_a_part_hold_no_row_beyond_it() -> None:
    xs, ys = noise(4000, 2, gaps=0.0)
    bins = DecimationCache().bins(xs, ys, 4000, (xs[1000], xs[2000]), 50)
    assert min(item.low for item in bins) == min(ys[1000:2001])
    assert max(item.high for item in bins) == max(ys[1000:2001])


def test_a_growing_column_is_followed() -> None:
    xs, ys = noise(3000, 3)
    memory = DecimationCache()
    for length in (10, 64, 100, 1000, 1001, 3000):
        span = (xs[0], xs[length - 1])
        same(memory.bins(xs, ys, length, span, 40), naive_bins(xs[:length], ys[:length], span, 40))


def test_an_older_length_of_a_grown_column_is_still_right() -> None:
    xs, ys = noise(3000, 4)
    memory = DecimationCache()
    memory.bins(xs, ys, 3000, (xs[0], xs[-1]), 40)
    span = (xs[0], xs[499])
    same(memory.bins(xs, ys, 500, span, 40), naive_bins(xs[:500], ys[:500], span, 40))


def test_what_has_not_changed_is_not_looked_at_again() -> None:
    xs, ys = noise(3000, 6)
    memory = DecimationCache()
    span = (xs[0], xs[-1])
    first = memory.bins(xs, ys, 3000, span, 40)
    assert memory.bins(xs, ys, 3000, span, 40) is first
    assert memory.smoothed(ys, 3000, 10) is memory.smoothed(ys, 3000, 10)
    memory.forget()
    assert memory.bins(xs, ys, 3000, span, 40) is not first


def test_the_columns_not_asked_for_the_longest_are_let_go() -> None:
    memory = DecimationCache()
    columns = [noise(5, seed) for seed in range(MOST_COLUMNS + 1)]
    bins = [memory.bins(xs, ys, 5, (xs[0], xs[-1]), 3) for xs, ys in columns]
    again = [memory.bins(xs, ys, 5, (xs[0], xs[-1]), 3) for xs, ys in columns[1:]]
    assert all(new is old for new, old in zip(again, bins[1:], strict=True))
    xs, ys = columns[0]
    assert memory.bins(xs, ys, 5, (xs[0], xs[-1]), 3) is not bins[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(FIGURES, min_size=1, max_size=300), st.data())
def test_blocks_give_what_the_rows_hold(values: list[float], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values)))
    blocks = Blocks()
    blocks.grow(values, len(values))
    assert len(blocks.count) == len(values) // BLOCK
    low, high, total, count = blocks.of(values, start, stop)
    known = [value for value in values[start:stop] if not math.isnan(value)]
    assert count == len(known)
    if known:
        assert (low, high) == (min(known), max(known))
        assert total == pytest.approx(sum(known), rel=1e-9, abs=1e-3)


def naive_average(values: list[float], span: int) -> list[float]:
    """Each value weighted by (1 − 2 / (span + 1)) to the power of how many known ones came after it."""
    keep = 1 - 2 / (span + 1)
    found: list[float] = []
    known: list[float] = []
    for value in values:
        if math.isnan(value):
            found.append(NAN)
            continue
        known.append(value)
        weights = [keep ** (len(known) - 1 - index) for index in range(len(known))]
        found.append(sum(w * v for w, v in zip(weights, known, strict=True)) / sum(weights))
    return found


def test_the_moving_average_by_hand() -> None:
    # span 3 keeps a half: 4; (4/2 + 8) / 1.5; (4/4 + 8/2 + 2) / 1.75
    ys = array("d", [4.0, 8.0, NAN, 2.0])
    found = list(DecimationCache().smoothed(ys, 4, 3))
    assert found[:2] == pytest.approx([4.0, 20 / 3])
    assert math.isnan(found[2])
    assert found[3] == pytest.approx(4.0)


def test_the_moving_average_grows_with_its_column() -> None:
    _, ys = noise(900, 5)
    for span in (10, 50):
        memory, wanted = (
            DecimationCache(),
            naive_average(list(ys), span),
        )  # each figure depends on those before it alone
        for length in (1, 2, 400, 401, 900):
            found = list(memory.smoothed(ys, length, span))[:length]
            assert found == pytest.approx(wanted[:length], nan_ok=True, rel=1e-6, abs=1e-8)
