"""What is remembered of long columns is what looking at all of them anew would find."""

from __future__ import annotations

import math
import random
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.tui.widgets.plot import BLOCK, MOST, Bin, Blocks, DecimationCache, decimate

NAN = math.nan
FIGURES = st.one_of(st.just(NAN), st.floats(-1e6, 1e6))


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


@pytest.mark.parametrize("rows", [1, BLOCK - 1, BLOCK, BLOCK + 1, 1000, 5000])
@pytest.mark.parametrize("columns", [1, 7, 160])
def test_bins_are_those_of_a_look_at_all_rows(rows: int, columns: int) -> None:
    xs, ys = noise(rows, rows)
    for span in ((xs[0], xs[-1]), (0.0, xs[-1])):
        same(DecimationCache().bins(xs, ys, rows, span, columns), decimate(xs, ys, span, columns))


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
        same(memory.bins(xs, ys, length, span, 40), decimate(xs[:length], ys[:length], span, 40))


def test_an_older_length_of_a_grown_column_is_still_right() -> None:
    xs, ys = noise(3000, 4)
    memory = DecimationCache()
    memory.bins(xs, ys, 3000, (xs[0], xs[-1]), 40)
    span = (xs[0], xs[499])
    same(memory.bins(xs, ys, 500, span, 40), decimate(xs[:500], ys[:500], span, 40))


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
    columns = [noise(5, seed) for seed in range(MOST + 1)]
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


@pytest.mark.parametrize("span", [10, 50])
def test_the_moving_average_grows_with_its_column(span: int) -> None:
    _, ys = noise(900, 5)
    memory = DecimationCache()
    for length in (1, 2, 400, 401, 900):
        found = list(memory.smoothed(ys, length, span))[:length]
        assert found == pytest.approx(naive_average(list(ys[:length]), span), nan_ok=True, rel=1e-6, abs=1e-8)
