"""Whether a noisy figure still rises: against series of which the answer is known, and arithmetic by hand."""

from __future__ import annotations

import math
import random
from array import array

import numpy as np
import pytest

from rltui.run_state.trend import BLOCK, correlation, needed, record, trend


def noisy(rows: int, slope: float = 0.0, seed: int = 0, start: float = 0.0) -> list[float]:
    """A straight line with noise of deviation 1."""
    draw = random.Random(seed)
    return [start + slope * row + draw.gauss(0, 1) for row in range(rows)]


def test_a_line_rises_and_by_how_much_is_its_slope() -> None:
    found = trend([0.5 * row for row in range(200)])
    assert found is not None
    assert found.kind == "rising" and found.until > 150
    blocks_between = (found.until - found.since) // BLOCK - 1
    assert found.now - found.then == pytest.approx(0.5 * BLOCK * blocks_between)
    assert found.now == pytest.approx(0.5 * (found.until - BLOCK + found.until - 1) / 2), (
        "the mean of the block that ends there"
    )


def test_a_plateau_is_flat_since_it_began() -> None:
    found = trend([*noisy(300, 0.1), *noisy(400, 0.0, 1, start=30.0)])
    assert found is not None and found.kind == "flat"
    assert 280 <= found.since <= 340, "the line ends at row 300"
    assert found.then == pytest.approx(30, abs=1) and found.now == pytest.approx(30, abs=1)


def test_what_breaks_down_is_falling_since_its_best() -> None:
    found = trend([*noisy(200, 0.1), *noisy(150, -0.1, 1, start=20.0)])
    assert found is not None and found.kind == "falling"
    assert 180 <= found.since <= 230 and found.now < 10


def test_a_breakdown_is_told_while_the_record_is_new_and_after() -> None:
    """Of a long run the record is new for many blocks."""
    best, after = noisy(8000, 0.01), noisy(500, 0.0, 1, start=5.0)
    for rows in (80, 120, 500):
        found = trend([*best, *after[:rows]])
        assert found is not None and found.kind == "falling" and found.then > 70 and found.now < 20


def of_blocks(means: list[float]) -> list[float]:
    """Of these means."""
    return [mean for mean in means for _ in range(BLOCK)]


def zigzag(means: list[float]) -> list[float]:
    """Blocks with a noise of just 1: each second one is above the line between its neighbours by 0.826."""
    return [mean + 0.826 * (place % 2) for place, mean in enumerate(means)]


def test_two_blocks_five_times_the_noise_below_the_record_are_a_breakdown(subtests: pytest.Subtests) -> None:
    for last, kind in (([-4, -4], "rising"), ([-6, -6], "falling"), ([-60], "rising")):
        with subtests.test(last=last, kind=kind):
            blocks = zigzag([float(place) for place in range(40)])
            best = blocks[37]  # the middle one of the newest three
            found = trend(of_blocks([*blocks, *(best + below for below in last)]))
            assert found is not None and found.kind == kind and found.noise == pytest.approx(3.0)


def test_the_longer_a_run_the_longer_it_may_be_without_a_record() -> None:
    """√n blocks after it: 10 of some hundred, and never less than 5."""

    def kind(before: int, after: int) -> str:
        found = trend(of_blocks([*zigzag([float(place) for place in range(before)]), *[before + 4.0] * (1 + after)]))
        assert found is not None
        return found.kind

    assert [kind(96, after) for after in (9, 10)] == ["rising", "flat"]
    assert [kind(12, after) for after in (4, 5)] == ["rising", "flat"]


def test_blocks_that_go_one_way_are_no_drift_the_other_way() -> None:
    """Below its record it rises all the time, and is 1.5 times the noise lower at the end than after it."""
    blocks = [5.0, *zigzag([4.0] * 3), *zigzag([-10 + place / 4 for place in range(40)]), *zigzag([2.5] * 3)]
    found = trend(of_blocks(blocks))
    assert found is not None
    assert (found.kind, found.then, found.now) == ("flat", 4.0, 2.5) and found.noise == pytest.approx(3.0)
    assert correlation(blocks[1:]) > 0.5


def test_a_block_counts_where_half_of_it_is_known(subtests: pytest.Subtests) -> None:
    for known, counts in ((4, False), (5, True)):
        with subtests.test(known=known, counts=counts):
            found = trend([float(row) if row % BLOCK < known else math.nan for row in range(400)])
            assert (found is not None) is counts


def test_a_spike_at_the_end_is_not_yet_a_record(subtests: pytest.Subtests) -> None:
    for rows in (1, BLOCK, BLOCK + 7):
        with subtests.test(rows=rows):
            found = trend([*noisy(300), *[1e6] * min(rows, BLOCK), *noisy(max(rows - BLOCK, 0) + 9)])
            assert found is not None and found.kind != "rising"


def test_a_slow_fall_below_the_noise_of_blocks_is_no_flat_line() -> None:
    found = trend([10 - 0.1 * row for row in range(needed())])
    assert found is not None and found.kind == "falling"
    found = trend([10 - 0.01 * row + 3 * (-1) ** (row // BLOCK) for row in range(1200)])
    assert found is not None and found.kind == "falling"


def test_what_nobody_can_see_is_no_change() -> None:
    found = trend([0.1 * (1 + 1e-9 * row) for row in range(400)])
    assert found is not None and found.kind == "flat"


def test_a_spike_does_not_make_a_rising_figure_flat() -> None:
    values = noisy(300, 0.1)
    values[100:110] = [90.0] * BLOCK
    found = trend(values)
    assert found is not None and found.kind == "rising"


def test_noise_alone_is_seldom_called_learning_and_a_clear_rise_never_flat() -> None:
    of_noise = [trend(noisy(400, 0.0, seed)) for seed in range(60)]
    assert sum(found is not None and found.kind == "rising" for found in of_noise) <= 4
    assert sum(found is not None and found.kind == "falling" for found in of_noise) <= 1
    of_rise = [trend(noisy(400, 0.05, seed)) for seed in range(60)]
    assert all(found is not None and found.kind == "rising" for found in of_rise)


def test_too_few_say_nothing_and_unknown_ones_count_for_nothing() -> None:
    assert trend([]) is None
    assert trend(noisy(needed() - 1, 1.0)) is None
    assert trend(noisy(needed(), 1.0)) is not None
    assert trend([math.nan] * 400) is None
    holes = [value if row % 3 else math.nan for row, value in enumerate(noisy(400, 0.1))]
    found = trend(holes)
    assert found is not None and found.kind == "rising"


def test_what_no_reward_can_be_counts_for_nothing(subtests: pytest.Subtests) -> None:
    for huge in (math.inf, -math.inf, 1e308, -1e200):
        with subtests.test(huge=huge):
            assert trend([huge] * 400) is None
            found = trend([value if row % 3 else huge for row, value in enumerate(noisy(400, 0.1))])
            assert found is not None and found.kind == "rising" and found.now < 50


def test_a_constant_is_flat_since_the_start() -> None:
    found = trend([4.0] * 100)
    assert found is not None
    assert (found.kind, found.since, found.then, found.now) == ("flat", 0, 4.0, 4.0)


def test_long_runs_have_larger_blocks() -> None:
    found = trend(array("d", noisy(20_000, 0.001)))
    assert found is not None
    assert (found.kind, found.block) == ("rising", 80)


def test_records_are_clear_of_the_one_before() -> None:
    assert record([1.0, 1.5, 2.5, 2.9, 4.0], 1.0) == 4
    assert record([1.0, 1.5, 2.5, 2.9, 3.5], 1.0) == 2
    assert record([3.0, 2.0, 1.0], 0.0) == 0


def test_correlation_is_pearson_s() -> None:
    values = noisy(30, 0.1)
    assert correlation(values) == pytest.approx(np.corrcoef(range(30), values)[0, 1])
    assert correlation([2.0, 2.0, 2.0]) == 0.0
