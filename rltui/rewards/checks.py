"""Sign check and trial of a reward."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rltui.errors import in_words, where_in
from rltui.rewards.base import Reward
from rltui.rewards.combined import CombinedReward
from rltui.rewards.sampling import sample_states, seal
from rltui.sim.state import Float

ARENAS, STEPS, SEED = 128, 4, 0
CERTAIN = 4.0  # standard errors
NAMED_PENALTY = re.compile(r"penalty|punish", re.IGNORECASE)


@dataclass(frozen=True)
class RewardTrial:
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


def try_out(reward: Reward, teams: tuple[int, int]) -> RewardTrial:
    """Begin episodes and take steps; the same states each time. A user's code may raise anything: that is a finding too."""
    try:
        with np.errstate(all="ignore"):
            values = _play(reward, teams)
    except (Exception, SystemExit) as error:
        own = getattr(sys.modules.get(type(reward).__module__), "__file__", None)
        return RewardTrial(failure=f"{in_words(error)}{where_in(error, own)}")
    finite = np.isfinite(values)
    if not finite.all():
        return RewardTrial(failure=f"{np.count_nonzero(~finite)} of {values.size} values are not finite")
    deviation = float(values.std()) / math.sqrt(values.size)
    return RewardTrial(float(values.min()), float(values.max()), float(values.mean()), deviation)


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


@dataclass(frozen=True)
class Weighed:
    """A component to be checked. weights: points (timesteps, weight), of a plain weight one; factor: its category's."""

    name: str
    reward: Reward
    weights: tuple[tuple[int, float], ...]
    factor: float = 1.0


@dataclass(frozen=True)
class _Tendency:
    """sign: of the values, 0 where it decides nothing; always: of all of them."""

    sign: int
    words: str
    always: bool = True


def sign_warnings(components: Iterable[Weighed], teams: tuple[int, int]) -> list[str]:
    """One sentence for each component that works against its kind, lies about its sign, or fails; none when all is well.

    A penalty is what its class calls one: `penalty`, category "penalties", a value that is never positive, or a name with
    "penalty" in it. The sign is the declared one; of rewards that declare none, and of all from users' files, it is what
    they give on random states. A reward of both signs decides nothing, but a penalty of both is taken at its mean. A
    weight of 0 is no matter.
    """
    return [warning for component in components for warning in _of_component(component, teams)]


def is_penalty(reward: Reward) -> bool:
    """Whether the class is meant to cost."""
    named = NAMED_PENALTY.search(type(reward).__name__) is not None
    return reward.penalty or reward.category == "penalties" or reward.sign < 0 or named


def _of_component(component: Weighed, teams: tuple[int, int]) -> Iterator[str]:
    name, reward = component.name, component.reward
    if reward.sign and type(reward).__module__.startswith("rltui."):
        yield from _turned(component, _Tendency(reward.sign, f"its value is {_never(reward.sign)}"))
        return
    trial = try_out(reward, teams)
    if trial.failure:
        yield f"{name} was tried on random states and failed: {trial.failure}"
        return
    if trial.low < 0 < reward.sign or reward.sign < 0 < trial.high:
        yield (
            f"{name} declares sign = {reward.sign}, but its values on random states are {trial.low:.2g} to "
            f"{trial.high:.2g}: declare sign = 0, or mend the reward"
        )
    yield from _turned(component, _seen(trial, is_penalty(reward)))


def _seen(trial: RewardTrial, penalty: bool) -> _Tendency:
    if trial.low >= 0 or trial.high <= 0:
        sign = (trial.high > 0) - (trial.low < 0)
        return _Tendency(sign, f"its value on random states is {_never(sign)}")
    sign = (1 if trial.mean > 0 else -1) if penalty and trial.leans else 0
    return _Tendency(sign, f"its value on random states is {trial.mean:.2g} on average", always=False)


def _never(sign: int) -> str:
    return "never negative" if sign > 0 else "never positive"


def _turned(component: Weighed, tendency: _Tendency) -> Iterator[str]:
    """At most one: of the first weight that turns the meaning round."""
    penalty = is_penalty(component.reward) or (tendency.sign < 0 and tendency.always)
    kind, does = ("penalty", "pays") if penalty else ("reward", "costs")
    for timesteps, weight in component.weights:
        effect = tendency.sign * weight * component.factor
        if effect and (effect > 0) == penalty:
            when = f" at {timesteps:,} timesteps" if len(component.weights) > 1 else ""
            yield (
                f"{component.name} is a {kind}, but {tendency.words} and with weight {weight:g}{when} it {does}: "
                f"should the weight be {-weight:g}?"
            )
            return
