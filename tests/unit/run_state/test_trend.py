"""The trend of a noisy figure: against arithmetic by hand, and series of which the answer is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from rltui.run_state.trend import BLOCK, FEWEST, LONG, NEWEST, Change, Kind, newest_change, trend


def noisy(rows: int, slope: float = 0.0, seed: int = 0, start: float = 0.0) -> list[float]:
    """A straight line with noise of deviation 1."""
    draw = random.Random(seed)
    return [start + slope * row + draw.gauss(0, 1) for row in range(rows)]


def of_blocks(means: Sequence[float]) -> list[float]:
    return [mean for mean in means for _ in range(BLOCK)]


def kinds(values: Sequence[float]) -> list[Kind | None]:
    """What it was called after each whole block, as it was replayed."""
    found = (trend(values[:end]) for end in range(FEWEST, len(values) + 1, BLOCK))
    return [one.kind for one in found if one is not None]


def flips(found: Sequence[Kind | None]) -> int:
    return sum(before is not None and before != after for before, after in pairwise(found))


def test_change_noise_best_and_now_by_hand() -> None:
    """Seven blocks: the newest two against the five before; their steps are 1 1 1 3 −2 3, so s² = 25 / 2 / 6."""
    values = of_blocks([0, 1, 2, 3, 6, 4, 7])
    change, found = newest_change(values, 70), trend(values)
    assert change is not None and found is not None
    assert change.before == pytest.approx(12 / 5) and change.by == pytest.approx(11 / 2 - 12 / 5)
    assert change.noise == pytest.approx(math.sqrt(25 / 12 * (1 / 2 + 1 / 5)))
    assert change.span == 35, "between the middles of 20 and of 50 iterations"
    assert found.kind is None, "3.1 is above one and below five times 1.21"
    assert found.now == found.best == pytest.approx(22 / 5), "the newest five"
    assert found.noise == pytest.approx(2 * math.sqrt(25 / 12 / NEWEST))


def test_of_300_iterations_the_newest_50_are_held_against_the_others_and_of_many_a_sixth_of_a_half() -> None:
    for blocks, span, newest in (
        (30, 150, 5),
        (60, 150, 5),
        (80, 200, 6),
        (200, 500, 16),
        (240, 600, 20),
        (5000, 600, 20),
    ):
        values = of_blocks(
            [100.0] * (blocks - 2 * span // BLOCK) + [4.0] * (2 * span // BLOCK - newest) + [5.0] * newest
        )
        change, found = newest_change(values, len(values)), trend(values)
        assert change is not None and found is not None
        assert (change.before, change.by, change.span) == (4.0, 1.0, span)
        assert newest_change(values[-LONG * BLOCK :], len(values)) == change, "of no more than these"
        assert found.now == 5.0 and found.best == (100.0 if blocks > 30 else 5.0)


def test_a_change_is_sure_above_five_times_its_noise_and_none_below_it(subtests: pytest.Subtests) -> None:
    """Held to its kind between the two, on its own side."""
    for by, before, expected in (
        (5.01, None, "rising"), (-5.01, "rising", "falling"), (4.99, None, None), (4.99, "flat", "flat"),
        (1.01, "rising", "rising"), (0.99, "rising", "flat"), (-1.01, "rising", "flat"), (-1.01, "falling", "falling"),
        (1.01, "falling", "flat"), (0.99, None, "flat"), (0.0, "falling", "flat"),
    ):  # fmt: skip
        with subtests.test(by=by, before=before):
            assert Change(by, 0.0, 1.0, 1.0, 60).after(before) == expected  # type: ignore[arg-type]


def test_what_was_found_is_kept_until_the_next_is_sure() -> None:
    """A rise to a level is called so until the level is older than the window, then flat."""
    for seed in range(5):
        found = kinds([*noisy(300, 0.05, seed), *noisy(900, 0.0, seed + 5, start=15.0)])
        assert found[24] == "rising" and found[-10:] == ["flat"] * 10 and flips(found) <= 2


def test_values_that_make_no_block_yet_change_nothing(subtests: pytest.Subtests) -> None:
    values = [row + 30 * math.sin(row / 40) for row in range(600)]
    for more in range(BLOCK):
        with subtests.test(more=more):
            assert trend([*values, *[-50.0] * more]) == trend(values)


def test_a_rise_whose_noise_grows_with_it_is_told_as_long_as_it_sets_records() -> None:
    """As a bot's reward does: one episode in which it scores is worth ten in which it does not."""

    def rise(seed: int) -> list[float]:
        draw = random.Random(seed)
        return [0.02 * row * draw.gauss(1, 0.6) for row in range(900)]

    found = [kinds(rise(seed)) for seed in range(20)]
    assert all(one[-1] == "rising" for one in found)
    assert sum(map(flips, found)) / len(found) <= 0.5


def test_one_block_alone_decides_nothing(subtests: pytest.Subtests) -> None:
    for spike in (1e6, -1e6):
        for rows in (60, 70, 110, 300, 900):
            with subtests.test(spike=spike, rows=rows):
                values = noisy(rows)
                values[-BLOCK:] = [spike] * BLOCK
                assert kinds(values)[-1] in ("flat", None)


def test_a_breakdown_is_told_within_forty_iterations(subtests: pytest.Subtests) -> None:
    for rows in (100, 400, 8000):
        with subtests.test(rows=rows):
            values = [*noisy(rows, 0.02), *noisy(40, 0.0, 1, start=0.02 * rows - 30)]
            assert trend(values[-1500:]) is not None
            found = trend(values)
            assert found is not None and found.kind == "falling" and found.best - found.now > 20


def test_noise_alone_seldom_flips_and_a_clear_rise_is_told_once(subtests: pytest.Subtests) -> None:
    """Of a thousand iterations: how often it is called another thing than before. waves: how much of the noise goes on."""

    def told(level: Callable[[int], float], waves: float, seed: int) -> list[Kind | None]:
        draw, values, wave = random.Random(seed), list[float](), 0.0
        for row in range(1000):
            wave = waves * wave + draw.gauss(0, 1) * math.sqrt(1 - waves**2)
            values.append(level(row) + wave)
        return kinds(values)

    for waves, most in ((0.0, 0.5), (0.5, 0.5), (0.8, 1.0)):
        with subtests.test(waves=waves):
            found = [told(lambda row: 0.0, waves, seed) for seed in range(20)]
            assert sum(map(flips, found)) / len(found) <= most
    for slope in (0.02, 0.1):
        with subtests.test(slope=slope):
            found = [told(lambda row, slope=slope: slope * row, 0.3, seed) for seed in range(20)]
            assert sum(map(flips, found)) / len(found) <= 1.2, "flat at first, perhaps, then rising for good"
            assert all(one[-1] == "rising" for one in found)


def test_what_nobody_can_see_is_no_change() -> None:
    found = trend([0.1 * (1 + 1e-9 * row) for row in range(400)])
    assert found is not None and found.kind == "flat"
    assert kinds([4.0] * 100) == ["flat"] * 5


def test_too_few_say_nothing_and_unknown_ones_count_for_nothing() -> None:
    assert trend([]) is None
    values = noisy(FEWEST, 1.0)
    assert trend(values[:-1]) is None and trend(values) is not None
    assert trend([math.nan] * 400) is None
    holes = [one for value in noisy(400, 0.1) for one in (math.nan, value)]
    assert trend(holes) == trend(noisy(400, 0.1))


def test_what_no_reward_can_be_counts_for_nothing(subtests: pytest.Subtests) -> None:
    for huge in (math.inf, -math.inf, 1e308, -1e200):
        with subtests.test(huge=huge):
            assert trend([huge] * 400) is None
            assert trend([value if row % 3 else huge for row, value in enumerate(noisy(400, 0.1))]) is not None
