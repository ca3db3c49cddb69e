"""Distance of policies: by hand, and which of a pool are nearly the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rltui.league.near_clones import near_clones, policy_distance
from rltui.policy.saved import SavedPolicy

RNG = np.random.default_rng(4)
OBS = RNG.normal(size=(50, 6)).astype(np.float32)
TABLE = np.concatenate([np.zeros((1, 8)), RNG.integers(0, 2, (3, 8))]).astype(np.float32)


def policy(bias: list[float], scale: float = 0.0, seed: int = 0) -> SavedPolicy:
    """Of scale 0: the same choice whatever it sees."""
    weights = (np.random.default_rng(seed).normal(size=(6, 4)) * scale).astype(np.float32)
    layers = ((weights, np.array(bias, np.float32)),)
    return SavedPolicy(layers, TABLE, "table", "default 6", tick_skip=8, action_delay_ticks=1)


def slow_distance(a: SavedPolicy, b: SavedPolicy) -> float:
    total = 0.0
    for row in OBS.astype(np.float64):
        chances = []
        for (w, bias), *_ in (a.layers, b.layers):
            weights = [np.exp(row @ w[:, action] + bias[action]) for action in range(4)]
            chances.append([weight / sum(weights) for weight in weights])
        total += sum(abs(one - other) for one, other in zip(*chances, strict=True)) / 2
    return total / len(OBS)


def test_by_hand() -> None:
    """Chances ⅖ ⅕ ⅕ ⅕ and ¼ ¼ ¼ ¼: half of 0.15 + 3 · 0.05."""
    assert policy_distance(policy([np.log(2), 0, 0, 0]), policy([0, 0, 0, 0]), OBS) == pytest.approx(0.15)
    assert policy_distance(policy([80, 0, 0, 0]), policy([0, 80, 0, 0]), OBS) == pytest.approx(1.0)


def test_it_is_a_distance_and_the_slow_twins() -> None:
    policies = [policy([0, 0.5, 0, -1], 1.0, seed) for seed in range(3)]
    for a in policies:
        assert policy_distance(a, a, OBS) == 0.0
        for b in policies:
            assert (
                policy_distance(a, b, OBS) == policy_distance(b, a, OBS) == pytest.approx(slow_distance(a, b), abs=1e-6)
            )
    first, second, third = (
        policy_distance(*pair, OBS) for pair in zip(policies, policies[1:] + policies[:1], strict=True)
    )
    assert first <= second + third + 1e-12


def test_what_is_illegal_in_a_row_makes_no_difference_there() -> None:
    """With boost in no tank, rows that boost cannot be chosen: there the two are the same."""
    boosts = TABLE.copy()
    boosts[:, :] = 0
    boosts[1:, 6] = 1
    one, other = (replace(policy(bias), table=boosts, legality="mask") for bias in ([1, 5, 0, 0], [2, 0, 5, 0]))
    masks = one.network(1)._penalties
    assert masks is not None
    only_idle = np.flatnonzero((masks[:, 1:] < 0).all(axis=1))[:1].astype(np.uint8)
    assert policy_distance(one, other, OBS, np.repeat(only_idle, len(OBS))) == 0.0
    assert policy_distance(one, other, OBS) > 0.9


def test_what_cannot_be_compared_is_refused() -> None:
    one = policy([0, 0, 0, 0])
    for other in (replace(one, table=TABLE[::-1].copy()), replace(one, obs_signature="compact 6")):
        with pytest.raises(ValueError, match="different action tables or observations"):
            policy_distance(one, other, OBS)
    for obs in (OBS[:, :5], OBS[:0]):
        with pytest.raises(ValueError, match=r"expected \[N, 6\]"):
            policy_distance(one, one, obs)


def test_near_clones_the_nearest_first() -> None:
    pool = {
        "a": policy([0, 0, 0, 0], 1.0),
        "a trained on": policy([0.05, 0, 0, 0], 1.0),
        "a trained on and on": policy([0.15, 0, 0, 0], 1.0),
        "b": policy([0, 0, 0, 0], 1.0, seed=1),
        "a of another table": replace(policy([0, 0, 0, 0], 1.0), table=TABLE[::-1].copy()),
        "seeing less": replace(policy([0] * 4), layers=((np.zeros((5, 4), np.float32), np.zeros(4, np.float32)),)),
    }
    pairs = near_clones(pool, OBS)
    assert [pair[:2] for pair in pairs] == [
        ("a", "a trained on"),
        ("a trained on", "a trained on and on"),
        ("a", "a trained on and on"),
    ]
    assert [pair[2] for pair in pairs] == sorted(policy_distance(pool[a], pool[b], OBS) for a, b, _ in pairs)
