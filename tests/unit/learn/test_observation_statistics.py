"""Means and deviations of observations: against NumPy's own over everything, and in rlgym-ppo's shape."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rltui.learn.normalization import CHUNK, ObservationStatistics
from tests.fakes.rlgym_ppo import rlgym_ppo

MEANS, DEVIATIONS = np.array([0, 100, -7, 5, 4096]), np.array([1, 3, 0.01, 5, 0.5])


def rows(n: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((n, len(MEANS)))
    return (MEANS + DEVIATIONS * noise).astype(np.float32)


def test_taken_in_by_parts_or_at_once_they_are_numpys(subtests: pytest.Subtests) -> None:
    for sizes in ([1, 1], [5, 0, 3], [CHUNK + 1, 7], [3 * CHUNK]):
        with subtests.test(sizes=sizes):
            parts = [rows(n, seed) for seed, n in enumerate(sizes)]
            statistics = ObservationStatistics.nothing_seen(len(MEANS))
            for part in parts:
                statistics = statistics.with_rows(part)
            whole = np.concatenate(parts).astype(np.float64)
            assert statistics.count == len(whole)
            np.testing.assert_allclose(statistics.mean, whole.mean(axis=0), rtol=1e-12)
            mean, var = statistics.frozen()
            np.testing.assert_array_equal(mean, whole.mean(axis=0).astype(np.float32))
            np.testing.assert_allclose(var, whole.var(axis=0, ddof=1), rtol=1e-6)
            assert mean.dtype == var.dtype == np.float32


def test_an_instance_never_changes() -> None:
    before = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(rows(10))
    mean, squares = before.mean.copy(), before.squares.copy()
    before.with_rows(rows(10, seed=1))
    np.testing.assert_array_equal(before.mean, mean)
    np.testing.assert_array_equal(before.squares, squares)


def test_before_two_observations_nothing_is_shifted_or_scaled() -> None:
    statistics = ObservationStatistics.nothing_seen(2)
    for _ in range(2):
        mean, var = statistics.frozen()
        np.testing.assert_array_equal([mean, var], [[0, 0], [1, 1]])
        statistics = statistics.with_rows(np.array([[3, 4]], np.float32))


def test_a_variance_stays_finite_in_float32() -> None:
    huge = np.array([[-3e38], [3e38]], np.float32)
    assert np.isfinite(ObservationStatistics.nothing_seen(1).with_rows(huge).frozen()).all()


def test_json_comes_back_exactly() -> None:
    statistics = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(rows(1000))
    data = json.loads(json.dumps(statistics.to_json()))
    assert sorted(data) == ["count", "mean", "shape", "var"] and data["shape"] == [5]
    again = ObservationStatistics.from_json(data, 5)
    np.testing.assert_array_equal([again.mean, again.squares], [statistics.mean, statistics.squares])
    assert again.count == 1000


def test_rlgym_ppo_reads_it_as_its_own() -> None:
    welford = rlgym_ppo("util.running_stats").WelfordRunningStat
    seen = rows(500)
    theirs = welford(len(MEANS))
    theirs.increment(seen, len(seen))
    statistics = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(seen)
    read = welford(1)
    read.from_json(json.loads(json.dumps(statistics.to_json())))
    assert read.count == theirs.count
    np.testing.assert_allclose(read.mean, theirs.mean, rtol=1e-3, atol=1e-3)  # theirs adds up in float32
    np.testing.assert_allclose(read.std[[0, 1, 3]], theirs.std[[0, 1, 3]], rtol=1e-2)
    ours = ObservationStatistics.from_json(json.loads(json.dumps(theirs.to_json())), len(MEANS))
    np.testing.assert_array_equal(ours.mean, theirs.running_mean)


GOOD = {"mean": [0.0, 1.0], "var": [0.0, 1.0], "shape": [2], "count": 3}


def test_anything_else_is_refused(subtests: pytest.Subtests) -> None:
    for change, words in (
        ({"mean": [0.0]}, "expected mean to be a list of finite numbers, 2 in all, found 1 of them"),
        ({"var": [0.0, float("nan")]}, "expected var to be a list of finite numbers"),
        ({"var": [0.0, -1.0]}, "expected var of at least 0"),
        ({"mean": "12"}, "expected mean to be a list"),
        ({"count": -1}, "expected count of at least 0, found -1"),
        ({"count": True}, "expected count of at least 0"),
    ):
        with subtests.test(change=change, words=words):
            assert ObservationStatistics.from_json(GOOD, 2).count == 3
            with pytest.raises(ValueError, match=words):
                ObservationStatistics.from_json(GOOD | change, 2)
            with pytest.raises(ValueError, match="expected an object"):
                ObservationStatistics.from_json([], 2)
