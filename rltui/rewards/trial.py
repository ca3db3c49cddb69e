"""A trial of one reward on random states: what values it gives, or how it fails."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

from rltui.errors import in_words, where_in
from rltui.rewards.combined import CombinedReward
from rltui.rewards.reward import Reward
from rltui.rewards.sample_states import sample_states, seal
from rltui.sim.state import Float

ARENAS, STEPS, SEED = 128, 4, 0
CERTAIN = 4.0  # standard errors


@dataclass(frozen=True)
class Trial:
    """Lowest, highest and mean value, unweighted, and the mean's standard error. failure: "" or what went wrong."""

    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    error: float = 0.0
    failure: str = ""

    @property
    def leans(self) -> bool:
        """Whether the mean's sign is no accident."""
        return abs(self.mean) > CERTAIN * self.error


def try_out(reward: Reward, teams: tuple[int, int]) -> Trial:
    """Begin episodes and take steps; the same states each time. A user's code may raise anything: that is a finding too."""
    try:
        with np.errstate(all="ignore"):
            values = _play(reward, teams)
    except (Exception, SystemExit) as error:
        own = getattr(sys.modules.get(type(reward).__module__), "__file__", None)
        return Trial(failure=f"{in_words(error)}{where_in(error, own)}")
    finite = np.isfinite(values)
    if not finite.all():
        return Trial(failure=f"{np.count_nonzero(~finite)} of {values.size} values are not finite")
    deviation = float(values.std()) / math.sqrt(values.size)
    return Trial(float(values.min()), float(values.max()), float(values.mean()), deviation)


def _play(reward: Reward, teams: tuple[int, int]) -> Float:
    """[STEPS − 1, K, C]"""
    first, *states = sample_states(np.random.default_rng(SEED), ARENAS, teams, STEPS, reward.contacts)
    for state in (first, *states):
        seal(state)
    combined = CombinedReward([(type(reward).__name__, reward, 1.0)])
    combined.reset(first, np.ones(ARENAS, np.bool_))
    values = np.zeros((len(states), 1, ARENAS, sum(teams)), np.float32)
    out = np.zeros((ARENAS, sum(teams)), np.float32)
    for terms, state in zip(values, states, strict=True):
        combined.value(state, out, terms)
    return values
