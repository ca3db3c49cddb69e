"""The weighted sum, and the terms that it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.base import Reward
from rltui.rewards.combined import CombinedReward
from tests.fakes.game_states import TEAM_SIZES, random_state

NAMES = list(BUILT_IN["reward"])


class Fixed(Reward):
    """Whatever it is given."""

    category = "events"
    sign = 0

    def __init__(self, values: Any) -> None:
        super().__init__(Reward.Params())
        self.values = values

    def value(self, state: Any) -> Any:
        return self.values


def combine(*components: tuple[str, Reward, float], arenas: int = 2) -> tuple[np.ndarray, np.ndarray]:
    out = np.full((arenas, 2), np.nan, dtype=np.float32)
    contributions = np.full((len(components), arenas, 2), np.nan, dtype=np.float32)
    state = random_state(np.random.default_rng(0), arenas, 1, 1)
    CombinedReward(components).value(state, out, contributions)
    return out, contributions


def test_by_hand() -> None:
    first, second = Fixed(np.float32([[1, 2], [3, 4]])), Fixed(np.float32([[10, 0], [-1, 0.5]]))
    out, contributions = combine(("a", first, 2.0), ("b", second, -1.0))
    assert contributions.tolist() == [[[2, 4], [6, 8]], [[-10, 0], [1, -0.5]]]
    assert out.tolist() == [[-8, 4], [7, 7.5]]


def test_values_of_any_number_type_serve(subtests: pytest.Subtests) -> None:
    for dtype in (np.bool_, np.int64, np.float64, np.int16):
        with subtests.test(dtype=dtype):
            out, _ = combine(("flag", Fixed(np.array([[0, 1], [1, 0]], dtype=dtype)), 0.25))
            assert out.tolist() == [[0, 0.25], [0.25, 0]]


def test_no_rewards_are_zero() -> None:
    assert combine()[0].tolist() == [[0, 0], [0, 0]]


def test_a_wrong_shape_names_the_reward(subtests: pytest.Subtests) -> None:
    for values, found in ((np.zeros(2), "(2,)"), (np.zeros((2, 1)), "(2, 1)"), (0.5, "float"), (None, "NoneType")):
        with subtests.test(values=values, found=found):
            with pytest.raises(RltuiError) as caught:
                combine(("mine.py:Mine", Fixed(values), 1.0))
            assert "reward 'mine.py:Mine'" in caught.value.message
            assert f"[2, 2], found {found}" in caught.value.message


def test_reset_reaches_every_reward_with_the_mask() -> None:
    seen = []

    class Remembers(Fixed):
        def reset(self, state: Any, arenas: Any) -> None:
            seen.append((state, arenas.tolist()))

    state = random_state(np.random.default_rng(0), 2, 1, 1)
    combined = CombinedReward([("a", Remembers(None), 1), ("b", Remembers(None), 1)])
    combined.reset(state, np.array([True, False]))
    assert seen == [(state, [True, False])] * 2


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.sampled_from(TEAM_SIZES),
    weights=st.lists(st.floats(-100, 100), min_size=len(NAMES), max_size=len(NAMES)),
)
def test_terms_sum_to_the_reward(seed: int, sizes: tuple[int, int], weights: list[float]) -> None:
    rng = np.random.default_rng(seed)
    combined = CombinedReward(
        [(name, build("reward", Component(name)), w) for name, w in zip(NAMES, weights, strict=True)]
    )
    combined.reset(random_state(rng, 5, *sizes), np.ones(5, dtype=bool))
    out = np.full((5, sum(sizes)), np.nan, dtype=np.float32)
    contributions = np.full((len(NAMES), *out.shape), np.nan, dtype=np.float32)
    combined.value(random_state(rng, 5, *sizes), out, contributions)
    total = contributions.astype(np.float64).sum(axis=0)
    assert (np.abs(total - out) <= 1e-5 * np.maximum(1, np.abs(out))).all()
