"""The scale that rewards are divided by."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rltui.learn.normalization import RunningStatistics


def test_one_sample_or_no_variance_divides_by_one() -> None:
    running = RunningStatistics()
    assert running.std == 1
    running.update(np.array([5], np.float32))
    assert running.std == 1
    running.update(np.array([5, 5], np.float32))
    assert (running.std, running.mean) == (1, 5)


def test_by_hand() -> None:
    running = RunningStatistics()
    running.update(np.array([[1, 2], [3, 4]], np.float32))
    running.update(np.array([], np.float32))
    assert running.mean == 2.5
    assert running.squares == pytest.approx(1.5**2 + 0.5**2 + 0.5**2 + 1.5**2)
    assert running.std == pytest.approx((5 / 3) ** 0.5)


def test_json_has_rlgym_ppos_shape_and_comes_back() -> None:
    running = RunningStatistics(1.5, 30.0, 7)
    data = json.loads(json.dumps(running.to_json()))
    assert data == {"mean": [1.5], "var": [30.0], "shape": [1], "count": 7}
    assert RunningStatistics.from_json(data) == running


def test_anything_else_is_refused(subtests: pytest.Subtests) -> None:
    for data in (
        None,
        [],
        {"mean": [0.0, 1.0], "var": [0.0, 1.0], "shape": [2], "count": 3},
        {"mean": [float("nan")], "var": [1.0], "shape": [1], "count": 3},
        {"mean": ["0"], "var": [1.0], "shape": [1], "count": 3},
        {"mean": [0.0], "var": [-1.0], "shape": [1], "count": 3},
        {"mean": [0.0], "var": [1.0], "shape": [1], "count": 1.5},
        {"mean": [0.0], "var": [1.0], "shape": [1], "count": True},
        {"mean": [0.0], "var": [1.0], "shape": [1]},
    ):
        with subtests.test(data=data), pytest.raises(ValueError, match="expected"):
            RunningStatistics.from_json(data)
