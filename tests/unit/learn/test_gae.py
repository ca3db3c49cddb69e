"""Advantages against arithmetic done by hand (γ 0.99, λ 0.95)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from rltui.learn import gae

GAMMA, LAMBDA = 0.99, 0.95


def steps(
    rewards: ArrayLike, values: ArrayLike, next_values: ArrayLike, terminated: ArrayLike, truncated: ArrayLike
) -> gae.Steps:
    floats = (np.array(x, np.float32) for x in (rewards, values, next_values))
    return gae.Steps(*floats, np.array(terminated, bool), np.array(truncated, bool))


def test_five_steps_that_tell_the_faults_apart() -> None:
    """A: 3 steps cut by the end of the data (next state's value 0.8); B: 2 steps, then a goal. One sequence."""
    values = np.array([0.5, 0.6, 0.7, 3.0, 4.0, 9.0], np.float32)  # the last one must not matter
    following = gae.next_values(values, (np.array([2]),), np.array([0.8], np.float32))
    np.testing.assert_array_equal(following, np.array([0.6, 0.7, 0.8, 4.0, 9.0], np.float32))
    found = gae.advantages(
        steps([0, 0, 1, 0, 2], values[:-1], following, [0, 0, 0, 0, 1], [0, 0, 1, 0, 0]), GAMMA, LAMBDA
    )
    np.testing.assert_allclose(found, [1.147384, 1.120026, 1.092000, -0.921000, -2.000000], atol=1e-6)
    np.testing.assert_allclose(found + values[:-1], [1.647384, 1.720026, 1.792000, 2.079000, 2.000000], atol=1e-6)


def test_the_same_five_steps_as_two_sequences() -> None:
    """A on its own ends with the data; B is padded with a step after its goal, which must not reach back."""
    found = gae.advantages(
        steps(
            [[0, 0], [0, 2], [1, 7]],
            [[0.5, 3], [0.6, 4], [0.7, 5]],
            [[0.6, 4], [0.7, 99], [0.8, 6]],
            [[0, 0], [0, 1], [0, 0]],
            np.zeros((3, 2)),
        ),
        GAMMA,
        LAMBDA,
    )
    np.testing.assert_allclose(found[:, 0], [1.147384, 1.120026, 1.092000], atol=1e-6)
    np.testing.assert_allclose(found[:2, 1], [-0.921000, -2.000000], atol=1e-6)


def test_a_terminal_step_is_not_bootstrapped() -> None:
    """r = 1, V = 0, V(next) = 5: 1.0, not 5.95."""
    assert gae.advantages(steps([1], [0], [5], [1], [0]), GAMMA, LAMBDA) == pytest.approx([1.0])


def test_terminated_wins_over_truncated() -> None:
    assert gae.advantages(steps([1], [0], [5], [1], [1]), GAMMA, LAMBDA) == pytest.approx([1.0])


def test_each_cut_gets_its_own_final_value() -> None:
    """Two cut one-step trajectories, r = 0, V = 0, next values 1 and 2: 0.99 and 1.98, not swapped."""
    following = gae.next_values(np.zeros(3, np.float32), (np.array([0, 1]),), np.array([1, 2], np.float32))
    found = gae.advantages(steps([0, 0], [0, 0], following, [0, 0], [1, 1]), GAMMA, LAMBDA)
    np.testing.assert_allclose(found, [0.99, 1.98], rtol=1e-6)


def test_a_time_limit_does_not_lower_the_value_of_the_last_steps() -> None:
    """Reward 1 for ever, worth 100 in every state at γ 0.99; the limit is the only ending: all advantages are 0."""
    hundred = np.full((4, 1), 100)
    found = gae.advantages(steps(np.ones((4, 1)), hundred, hundred, np.zeros((4, 1)), [[0], [1], [0], [1]]), GAMMA, 1.0)
    np.testing.assert_allclose(found, 0, atol=1e-4)


def test_returns_stop_at_ends_and_at_the_end_of_the_data() -> None:
    found = gae.discounted_returns(np.array([1, 2, 4, 8], np.float32), np.array([0, 1, 0, 0], bool), 0.5)
    np.testing.assert_allclose(found, [1 + 0.5 * 2, 2, 4 + 0.5 * 8, 8])
