"""Learning-rate schedules: constant, linear, cosine, KL-adaptive; with a floor.

The schedule speaks of the policy's rate; the critic's keeps its proportion to it. A rate given by hand (an override)
holds until it is taken back, or until what the profile says of learning rates changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

CEILING = 1e-2  # of kl_adaptive, as rsl_rl's
FACTOR = 1.5  # by which it changes the rate at once
TOO_FAR, TOO_NEAR = 2.0, 0.5  # of target_kl

Kind = Literal["constant", "linear", "cosine", "kl_adaptive"]


@dataclass(frozen=True)
class Schedule:
    """A profile's words on learning rates."""

    kind: Kind = "constant"
    learning_rate: float = 2e-4  # of the policy, at the start
    critic_learning_rate: float = 2e-4
    steps: int = 10_000_000  # timesteps over which linear and cosine fall
    floor: float = 1e-5
    target_kl: float = 0.01

    def planned(self, timesteps: int) -> float:
        """The policy's rate after so many timesteps, where it follows from them alone.

        linear: f + (r − f)(1 − x);  cosine: f + (r − f)(1 + cos πx) / 2;  x = min(timesteps / steps, 1).
        """
        done = min(max(timesteps, 0) / self.steps, 1.0)
        if self.kind == "linear":
            return self.floor + (self.learning_rate - self.floor) * (1 - done)
        if self.kind == "cosine":
            return self.floor + (self.learning_rate - self.floor) * (1 + math.cos(math.pi * done)) / 2
        return self.learning_rate

    def adapted(self, rate: float, kl: float) -> float:
        """The rate after an update that moved the policy so far: KL above twice the target lowers it, KL below half raises it
        (rsl_rl's rule).
        """
        if kl > TOO_FAR * self.target_kl:
            return max(rate / FACTOR, min(rate, self.floor))
        if 0.0 <= kl < TOO_NEAR * self.target_kl:
            return min(rate * FACTOR, max(rate, CEILING))
        return rate

    def critic(self, rate: float) -> float:
        """The critic's rate beside this one of the policy."""
        if self.learning_rate == 0:
            return self.critic_learning_rate
        return rate * self.critic_learning_rate / self.learning_rate

    @property
    def text(self) -> str:
        """All that it says, to be compared with what it said when something was stored."""
        return (
            f"{self.kind} {self.learning_rate!r} {self.critic_learning_rate!r} {self.steps} {self.floor!r} "
            f"{self.target_kl!r}"
        )


@dataclass(frozen=True)
class Rates:
    """Of one update."""

    policy: float
    critic: float


class LearningRates:
    """The rates in force: the schedule's, what KL has made of them, or a person's."""

    def __init__(self, schedule: Schedule, adapted: float | None = None, override: float | None = None) -> None:
        """adapted: where kl_adaptive stood; override: the policy's rate as given by hand."""
        self.schedule = schedule
        self.override = override
        self.adapted = adapted if schedule.kind == "kl_adaptive" else None

    def at(self, timesteps: int) -> Rates:
        """The rates of an update after so many timesteps of this schedule."""
        given = self.adapted if self.override is None else self.override
        rate = self.schedule.planned(timesteps) if given is None else given
        return Rates(rate, self.schedule.critic(rate))

    def learned(self, kl: float | None) -> None:
        """An update has been made; kl: how far it moved the policy, None where that is not known (it was dropped)."""
        if self.schedule.kind == "kl_adaptive" and self.override is None and kl is not None:
            before = self.schedule.learning_rate if self.adapted is None else self.adapted
            self.adapted = self.schedule.adapted(before, kl)
