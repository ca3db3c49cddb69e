"""The weighted sum of rewards, each term kept apart so that reports can say where the reward came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rltui.errors import RltuiError
from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState

Weighted = tuple[str, Reward, float]  # name as the profile has it, reward, weight


@dataclass(frozen=True)
class RewardOptions:
    """What becomes of all rewards together. categories: factors (name, factor) beside those of the mode."""

    mode: str = "none"
    team_spirit: float = 0.0
    zero_sum: bool = False
    categories: tuple[tuple[str, float], ...] = ()


class CombinedReward:
    """R rewards with their weights, in the profile's order (RLGym: CombinedReward)."""

    def __init__(self, components: Sequence[Weighted], options: RewardOptions = RewardOptions()) -> None:
        self.names = [name for name, _, _ in components]
        self.rewards = [reward for _, reward, _ in components]
        self.weights = [float(weight) for _, _, weight in components]

    def set_weights(self, weights: Sequence[float]) -> None:
        """New factors from now on, in the profile's order; modes and categories apply to them as before."""
        self.weights = [float(weight) for weight in weights]

    def reset(self, state: GameState, arenas: Bool) -> None:
        """Every reward forgets these arenas (mask [K])."""
        for reward in self.rewards:
            reward.reset(state, arenas)

    def value(self, state: GameState, out: Float, contributions: Float) -> None:
        """Write weight × value of each reward into `contributions` [R, K, C] and their sum into `out` [K, C].

        RltuiError names a reward whose values have another shape or cannot become numbers.
        """
        for i, reward in enumerate(self.rewards):
            values = reward.value(state)
            if getattr(values, "shape", None) != out.shape:
                raise RltuiError(_wrong_shape(self.names[i], values, out.shape))
            np.multiply(values, self.weights[i], out=contributions[i])
        np.add.reduce(contributions, axis=0, out=out)


def _wrong_shape(name: str, values: object, expected: tuple[int, ...]) -> str:
    found = getattr(values, "shape", type(values).__name__)
    return f"reward {name!r}: value() must give an array [arenas, cars] = {list(expected)}, found {found}"
