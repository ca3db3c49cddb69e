"""Modes, team spirit and zero sum over random rewards and all team sizes, against a slow twin written car by car."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.rewards.base import Reward
from rltui.rewards.combined import CATEGORIES, MODES, CombinedReward, RewardOptions
from rltui.sim.state import Float, GameState
from tests.fakes.game_states import TEAM_SIZES, random_state

ARENAS = 3


class Drawn(Reward):
    """Random values of a category."""

    category = "events"
    sign = 0

    def __init__(self, values: Float, category: str) -> None:
        super().__init__(Reward.Params())
        self.values = values
        self.category = category  # type: ignore[misc, assignment]

    def value(self, state: GameState) -> Float:
        return self.values


def mixed(own: list[float], state: GameState, spirit: float, zero_sum: bool) -> list[float]:
    """One arena's rewards after team spirit, then zero sum, as the sentence says it."""

    def mean_of(team: int, rewards: list[float]) -> float:
        members = [reward for reward, car_team in zip(rewards, state.team, strict=True) if car_team == team]
        return sum(members) / len(members) if members else 0.0

    spirited = [
        (1 - spirit) * reward + spirit * mean_of(team, own) for reward, team in zip(own, state.team, strict=True)
    ]
    if not zero_sum:
        return spirited
    return [reward - mean_of(1 - team, spirited) for reward, team in zip(spirited, state.team, strict=True)]


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.sampled_from(TEAM_SIZES),
    mode=st.sampled_from(list(MODES)),
    spirit=st.sampled_from([0.0, 0.3, 1.0]),
    zero_sum=st.booleans(),
    extra=st.dictionaries(st.sampled_from(CATEGORIES), st.floats(0, 3), max_size=3),
    scale=st.sampled_from([1e-3, 1.0, 100.0]),
)
def test_terms_and_totals(
    seed: int,
    sizes: tuple[int, int],
    mode: str,
    spirit: float,
    zero_sum: bool,
    extra: dict[str, float],
    scale: float,
) -> None:
    rng = np.random.default_rng(seed)
    state = random_state(rng, ARENAS, *sizes)
    count = int(rng.integers(1, 12))
    rewards = [
        Drawn((rng.normal(size=(ARENAS, state.cars)) * scale).astype(np.float32), str(rng.choice(CATEGORIES)))
        for _ in range(count)
    ]
    weights = rng.uniform(-30, 30, count).tolist()
    options = RewardOptions(mode, spirit, zero_sum, tuple(extra.items()))
    combined = CombinedReward(
        [(f"r{i}", reward, weight) for i, (reward, weight) in enumerate(zip(rewards, weights, strict=True))], options
    )
    out = np.full((ARENAS, state.cars), np.nan, np.float32)
    terms = np.full((count, *out.shape), np.nan, np.float32)
    for _ in range(2):  # nothing of a step stays for the next
        combined.value(state, out, terms)

    total = terms.astype(np.float64).sum(axis=0)
    assert (np.abs(total - out) <= 1e-5 * np.maximum(1, np.abs(out))).all()
    for i, (reward, weight) in enumerate(zip(rewards, weights, strict=True)):
        factor = MODES[mode][CATEGORIES.index(reward.category)] * extra.get(reward.category, 1.0)
        for arena in range(ARENAS):
            own = [weight * factor * float(value) for value in reward.values[arena]]
            expected = mixed(own, state, spirit, zero_sum)
            np.testing.assert_allclose(terms[i, arena], expected, rtol=1e-5, atol=1e-5 * scale)
