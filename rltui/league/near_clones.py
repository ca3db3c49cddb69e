"""Distance of saved policies: which of a pool are nearly the same player. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rltui.actions.spec import Classes
from rltui.policy.saved import SavedPolicy
from rltui.policy.weights import Float

NEAR = 0.05  # below it, two policies are one player for most purposes: one choice of twenty differs


def policy_distance(a: SavedPolicy, b: SavedPolicy, obs: Float, classes: Classes | None = None) -> float:
    """Mean total variation distance ½ Σ |π_a(·|s) − π_b(·|s)| over observations, 0 to 1.

    It is the share of choices that differ where they are drawn as alike as can be. obs: float32 [N, obs_size], as both see
    it, not normalised. classes: uint8 [N], the legality class of each row, for policies with masks; None: of all rows of the
    table. ValueError for policies of different tables or observations: their choices cannot be compared.
    """
    if not _comparable(a, b):
        raise ValueError("policies of different action tables or observations have no distance")
    return _distance(_probabilities(a, obs, classes), _probabilities(b, obs, classes))


def near_clones(
    policies: Mapping[str, SavedPolicy], obs: Float, classes: Classes | None = None, below: float = NEAR
) -> list[tuple[str, str, float]]:
    """Pairs nearer than `below`, with their distance, the nearest first. Those that cannot be compared are no clones."""
    chosen = {name: _probabilities(policy, obs, classes) for name, policy in policies.items() if _fits(policy, obs)}
    found = [
        (first, second, _distance(chosen[first], chosen[second]))
        for first, second in combinations(chosen, 2)
        if _comparable(policies[first], policies[second])
    ]
    return sorted((pair for pair in found if pair[2] < below), key=lambda pair: pair[2])


def _probabilities(policy: SavedPolicy, obs: Float, classes: Classes | None) -> NDArray[np.float64]:
    if not _fits(policy, obs):
        raise ValueError(f"observations are {list(obs.shape)}, expected [N, {policy.layers[0][0].shape[0]}]")
    network = policy.network(len(obs))
    logits = network.logits(obs, classes if policy.legality == "mask" else None).astype(np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return found


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).sum(axis=1).mean()) / 2


def _fits(policy: SavedPolicy, obs: Float) -> bool:
    return obs.ndim == 2 and len(obs) > 0 and obs.shape[1] == policy.layers[0][0].shape[0]


def _comparable(a: SavedPolicy, b: SavedPolicy) -> bool:
    return np.array_equal(a.table, b.table) and a.obs_signature == b.obs_signature
