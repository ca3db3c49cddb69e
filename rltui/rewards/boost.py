"""Rewards for boost: pickups, stealing, saving."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.field import BIG_PAD_BOOST, BIG_PADS, PAD_POSITIONS, PADS, SMALL_PAD_BOOST
from rltui.rewards.base import Reward, alive
from rltui.sim.state import Float, GameState

IS_BIG = np.append(np.isin(np.arange(PADS), BIG_PADS), False)  # by pad; `pad_picked` −1, none, is the last one


class BoostPickup(Reward):
    """1 on a step in which this car took a boost pad, else 0."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return (state.pad_picked >= 0).astype(np.float32)


class CollectBoost(Reward):
    """On a pickup: `small` or `big`, by the kind of pad, · boost gained / the pad's 12 or 100, else 0.

    A full car gains nothing. With the defaults the many small pads on the way are worth more than the six big ones.
    """

    category = "boost"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        small: float = field(default=1.0, metadata={"doc": "For all 12 of a small pad.", "min": 0.0, "max": 100.0})
        big: float = field(default=0.3, metadata={"doc": "For all 100 of a big pad.", "min": 0.0, "max": 100.0})

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._full = np.where(IS_BIG, BIG_PAD_BOOST, SMALL_PAD_BOOST).astype(np.float32)
        self._per_boost = np.where(IS_BIG, params.big, params.small).astype(np.float32) / self._full
        self._per_boost[-1] = 0.0

    def value(self, state: GameState) -> Float:
        pads = state.pad_picked
        gained = np.minimum(state.boost_gained, self._full.take(pads, mode="wrap"))
        gained *= self._per_boost.take(pads, mode="wrap")
        return gained


class StealBoost(Reward):
    """1 on a step in which this car took a big pad on the opponents' half, else 0; those at y = 0 are nobody's."""

    category = "boost"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        halves = np.sign([y for _, y, _ in PAD_POSITIONS] + [0.0])  # +1: a pad that blue would steal, −1: orange
        self._thief = (halves * IS_BIG).astype(np.float32)

    def value(self, state: GameState) -> Float:
        thieves: Float = self._thief.take(state.pad_picked, mode="wrap")
        thieves *= state.team_sign
        np.maximum(thieves, 0.0, out=thieves)
        return thieves


class SaveBoost(Reward):
    """sqrt(boost / 100): 0..1; 0 for a demolished car."""

    category = "boost"
    sign = 1

    def value(self, state: GameState) -> Float:
        shares: Float = state.boost * alive(state)
        shares /= 100.0
        return np.sqrt(shares, out=shares)
