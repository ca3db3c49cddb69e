"""Weighted sum of rewards with modes, team spirit and zero sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from rltui.errors import RltuiError
from rltui.rewards.base import Category, Reward
from rltui.sim.state import Bool, Float, GameState

CATEGORIES: tuple[str, ...] = get_args(Category)
MODES: Mapping[str, tuple[float, ...]] = {  # by category, in the order of CATEGORIES
    "none": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "sparse": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "dense": (0.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "hybrid": (1.0, 0.5, 0.7, 0.6, 0.5, 0.8, 0.4, 0.7),
}
Weighted = tuple[str, Reward, float]  # name as the profile has it, reward, weight
SUM = np.dtype(np.float64)  # terms of 25 and −25 leave nothing of the small ones in float32


def team_mix(blue: int, orange: int, spirit: float, zero_sum: bool) -> Float:
    """M float32 [C, C]: with r [C] the cars' own rewards, all blue, then all orange, r @ M are those that they get.

    r_i ← (1 − τ) r_i + τ · mean of r over i's team (OpenAI Five's team spirit τ); then, with zero_sum,
    r_i ← r_i − mean of the opponents' so mixed r, where there are any.
    """
    teams = [(0, blue), (blue, blue + orange)]
    mix = (1 - spirit) * np.eye(blue + orange)
    for first, last in teams:
        mix[first:last, first:last] += spirit / max(1, last - first)
    if zero_sum:
        for (first, last), (their_first, their_last) in zip(teams, reversed(teams), strict=True):
            # a mean over a team is the same before and after the spirit
            mix[first:last, their_first:their_last] = -1.0 / max(1, last - first)
    return mix.astype(np.float32)


def category_factors(mode: str, extra: Sequence[tuple[str, float]] = ()) -> dict[str, float]:
    """The factor of each category: the mode's, times those of `extra`.

    RltuiError for a mode or a category that does not exist.
    """
    if mode not in MODES:
        raise RltuiError(f"reward mode {mode!r} does not exist", f"one of {', '.join(MODES)}", exit_code=2)
    factors = dict(zip(CATEGORIES, MODES[mode], strict=True))
    for name, factor in extra:
        if name not in factors:
            raise RltuiError(f"reward category {name!r} does not exist", f"one of {', '.join(CATEGORIES)}", exit_code=2)
        factors[name] *= factor
    return factors


@dataclass(frozen=True)
class RewardOptions:
    """What becomes of all rewards together. categories: factors (name, factor) beside those of the mode."""

    mode: str = "none"
    team_spirit: float = 0.0
    zero_sum: bool = False
    categories: tuple[tuple[str, float], ...] = ()

    @property
    def mixes(self) -> bool:
        """Whether a car's reward depends on that of others."""
        return self.team_spirit != 0 or self.zero_sum


class CombinedReward:
    """R rewards with their weights, in the profile's order (RLGym: CombinedReward).

    measured: indices of those that began with weight 0, to be measured; measures: their newest values [M, K, C].
    """

    def __init__(self, components: Sequence[Weighted], options: RewardOptions = RewardOptions()) -> None:
        """RltuiError for options that do not exist or are out of range."""
        if not 0 <= options.team_spirit <= 1:
            raise RltuiError(f"team_spirit must be in [0, 1], found {options.team_spirit}", exit_code=2)
        factors = category_factors(options.mode, options.categories)
        self.names = [name for name, _, _ in components]
        self.rewards = [reward for _, reward, _ in components]
        self._factors = [factors[reward.category] for reward in self.rewards]
        self.measured = [index for index, (_, _, weight) in enumerate(components) if weight == 0]
        self.measures: Float = np.zeros((len(self.measured), 0, 0), np.float32)
        self.set_weights([weight for _, _, weight in components])
        self._options = options
        self._mix: Float | None = None  # [C, C]
        self._own: Float | None = None  # [R, K, C] the cars' own terms, before they are mixed

    def set_weights(self, weights: Sequence[float]) -> None:
        """New factors from now on, in the profile's order; modes and categories apply to them as before."""
        self.weights = [float(weight) * factor for weight, factor in zip(weights, self._factors, strict=True)]

    def reset(self, state: GameState, arenas: Bool) -> None:
        """Every reward forgets these arenas (mask [K])."""
        for reward in self.rewards:
            reward.reset(state, arenas)

    def value(self, state: GameState, out: Float, contributions: Float) -> None:
        """Write each reward's term into `contributions` [R, K, C] and their sum into `out` [K, C].

        A term is weight × value, after modes, team spirit and zero sum: |sum of terms − out| ≤ 1e-5 · max(1, |out|).
        RltuiError names a reward whose values have another shape or are no numbers.
        """
        if self._options.mixes:
            mix, own = self._mixing(state, contributions)
            self._weigh(state, own)
            np.matmul(own, mix, out=contributions)
        else:
            self._weigh(state, contributions)
        np.add.reduce(contributions, axis=0, dtype=SUM, out=out)

    def _weigh(self, state: GameState, out: Float) -> None:
        """weight × value of each reward into `out` [R, K, C]."""
        shape = out.shape[1:]
        for i, reward in enumerate(self.rewards):
            values = reward.value(state)
            if getattr(values, "shape", None) != shape:
                raise RltuiError(_wrong_shape(self.names[i], values, shape))
            try:
                np.multiply(values, self.weights[i], out=out[i])
            except TypeError as error:
                raise RltuiError(
                    f"reward {self.names[i]!r}: value() must give numbers, found {values.dtype}"
                ) from error
            if i in self.measured:
                self._measure(i, values)

    def _measure(self, index: int, values: Float) -> None:
        if self.measures.shape[1:] != values.shape:
            self.measures = np.zeros((len(self.measured), *values.shape), np.float32)
        self.measures[self.measured.index(index)] = values

    def _mixing(self, state: GameState, like: Float) -> tuple[Float, Float]:
        """The mixing matrix and room for the cars' own terms, made at the first call: team sizes never change."""
        if self._mix is None or self._own is None:
            self._mix = team_mix(state.blue, state.orange, self._options.team_spirit, self._options.zero_sum)
            self._own = np.zeros_like(like)
        return self._mix, self._own


def _wrong_shape(name: str, values: object, expected: tuple[int, ...]) -> str:
    found = getattr(values, "shape", type(values).__name__)
    return f"reward {name!r}: value() must give an array [arenas, cars] = {list(expected)}, found {found}"
