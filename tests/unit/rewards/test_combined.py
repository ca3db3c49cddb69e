"""CombinedReward: the weighted sum and its terms; modes, team spirit and zero sum, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.env.spec import Weighted
from rltui.errors import RltuiError
from rltui.registry import Component
from rltui.rewards.base import Reward
from rltui.rewards.combined import CATEGORIES, CombinedReward, RewardOptions, category_factors, team_mix
from tests.fakes.game_states import random_state


class Fixed(Reward):
    """Whatever it is given; lists as float32."""

    category = "events"
    sign = 0

    def __init__(self, values: Any, category: Any = "events") -> None:
        super().__init__(Reward.Params())
        self.values = np.asarray(values, np.float32) if isinstance(values, list) else values
        self.category = category  # type: ignore[misc]

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


def play(components: list[tuple[Reward, float]], sizes: tuple[int, int], options: RewardOptions) -> tuple[Any, Any]:
    """(sums [K, C], terms [R, K, C]) as nested lists."""
    combined = CombinedReward([(f"r{i}", reward, weight) for i, (reward, weight) in enumerate(components)], options)
    state = random_state(np.random.default_rng(0), len(components[0][0].value(None)), *sizes)  # type: ignore[arg-type]
    out = np.full((state.arenas, state.cars), np.nan, np.float32)
    terms = np.full((len(components), *out.shape), np.nan, np.float32)
    combined.value(state, out, terms)
    return out.tolist(), terms.tolist()


def test_the_modes_are_the_communitys_table() -> None:
    by_mode = {mode: list(category_factors(mode).values()) for mode in ("none", "sparse", "dense", "hybrid")}
    assert CATEGORIES == ("events", "ball", "goal", "positioning", "boost", "aerial", "mechanics", "penalties")
    assert by_mode == {
        "none": [1, 1, 1, 1, 1, 1, 1, 1],
        "sparse": [1, 0, 0, 0, 0, 0, 0, 0],
        "dense": [0.2, 1, 1, 1, 1, 1, 1, 1],
        "hybrid": [1, 0.5, 0.7, 0.6, 0.5, 0.8, 0.4, 0.7],
    }


def test_a_mode_multiplies_the_weights_by_category() -> None:
    components = [
        (Fixed([[1, 2]], "events"), 10.0),
        (Fixed([[1, 1]], "ball"), 4.0),
        (Fixed([[1, 0]], "aerial"), -1.0),
    ]
    sums, terms = play(components, (1, 1), RewardOptions("hybrid"))
    np.testing.assert_allclose(terms, [[[10, 20]], [[2, 2]], [[-0.8, 0]]], rtol=1e-6)
    np.testing.assert_allclose(sums, [[11.2, 22]], rtol=1e-6)


def test_factors_of_categories_come_on_top_of_the_modes() -> None:
    options = RewardOptions("dense", categories=(("aerial", 2.0), ("events", 0.5)))
    _, terms = play([(Fixed([[1, 1]], "aerial"), 3.0), (Fixed([[1, 1]], "events"), 1.0)], (1, 1), options)
    np.testing.assert_allclose(terms, [[[6, 6]], [[0.1, 0.1]]], rtol=1e-6)


def test_new_weights_keep_the_mode() -> None:
    combined = CombinedReward([("ball", Fixed([[1]], "ball"), 1.0)], RewardOptions("hybrid"))
    assert combined.weights == [0.5]
    combined.set_weights([4.0])
    assert combined.weights == [2.0]


def test_team_spirit_by_hand() -> None:
    """2v1, τ = 0.4: blue has 10 and 0, mean 5: 0.6 · 10 + 0.4 · 5 = 8 and 0.4 · 5 = 2; orange is its own team."""
    sums, terms = play([(Fixed([[10, 0, 3]]), 1.0)], (2, 1), RewardOptions(team_spirit=0.4))
    np.testing.assert_allclose(sums, [[8, 2, 3]], rtol=1e-6)
    assert terms == [sums]


def test_zero_sum_by_hand() -> None:
    """2v1: the opponents' mean goes off: 10 − 3, 0 − 3, 3 − 5."""
    sums, _ = play([(Fixed([[10, 0, 3]]), 1.0)], (2, 1), RewardOptions(zero_sum=True))
    np.testing.assert_allclose(sums, [[7, -3, -2]], rtol=1e-6)


def test_team_spirit_then_zero_sum_by_hand() -> None:
    """As above: 8 − 3, 2 − 3, 3 − 5; and each term by itself, weights included."""
    components = [(Fixed([[10, 0, 3]]), 1.0), (Fixed([[0, 1, 0]]), -2.0)]
    sums, terms = play(components, (2, 1), RewardOptions(team_spirit=0.4, zero_sum=True))
    np.testing.assert_allclose(terms, [[[5, -1, -2]], [[-0.4, -1.6, 1]]], rtol=1e-6)
    np.testing.assert_allclose(sums, [[4.6, -2.6, -1]], rtol=1e-6)


def test_without_opponents_zero_sum_takes_nothing_off(subtests: pytest.Subtests) -> None:
    for sizes in ((1, 0), (3, 0), (0, 2)):
        with subtests.test(sizes=sizes):
            np.testing.assert_array_equal(team_mix(*sizes, 0.0, True), np.eye(sum(sizes)))


def test_full_team_spirit_pays_the_team() -> None:
    np.testing.assert_allclose([[6.0, 0, 3, 5]] @ team_mix(3, 1, 1.0, False), [[3, 3, 3, 5]], rtol=1e-6)


def test_equal_teams_sum_to_zero() -> None:
    """The name: in 1v1 what one gets the other loses; in 2v2 the arena's sum is 0."""
    rng = np.random.default_rng(1)
    for sizes in ((1, 1), (2, 2), (3, 3)):
        rewards = rng.normal(size=sum(sizes)) @ team_mix(*sizes, 0.3, True)
        assert abs(rewards.sum()) < 1e-6


def test_large_terms_that_cancel_leave_the_small_ones() -> None:
    """25 − 25 + 0.0003 …: in float32 the small terms would be rounded away."""
    small = 3e-7
    components = [
        (Fixed([[25, 0]]), 1.0),
        *[(Fixed([[small, 0]]), 1.0)] * 20,
        (Fixed([[-25, 0]]), 1.0),
    ]
    sums, _ = play(components, (1, 1), RewardOptions())
    np.testing.assert_allclose(sums[0][0], 20 * small, rtol=1e-5)


def test_a_schedule_moves_the_weight_and_the_mode_stays() -> None:
    item = Weighted(Component("touch"), 0.2, ((0, 1.0), (100, 0.5), (200, 0.2)))
    combined = CombinedReward([("touch", Fixed([[1]], "ball"), item.weight_at(0))], RewardOptions("hybrid"))
    seen = []
    for timesteps in (0, 50, 100, 150, 200, 10_000):
        combined.set_weights([item.weight_at(timesteps)])
        seen += combined.weights
    np.testing.assert_allclose(seen, [0.5, 0.375, 0.25, 0.175, 0.1, 0.1])


def test_options_that_do_not_exist(subtests: pytest.Subtests) -> None:
    for options, words in (
        (RewardOptions("spares"), "reward mode 'spares' does not exist"),
        (RewardOptions(categories=(("goals", 2.0),)), "reward category 'goals' does not exist"),
        (RewardOptions(team_spirit=1.5), r"team_spirit must be in \[0, 1\], found 1.5"),
    ):
        with subtests.test(options=options, words=words), pytest.raises(RltuiError, match=words):
            CombinedReward([], options)
