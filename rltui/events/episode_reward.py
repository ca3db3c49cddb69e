"""The reward that people are shown: over the newest 100 episodes, for in one iteration few may end: their mean is noise."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping

import msgspec

from rltui.events.records import IterationFinished, PhaseChanged, Record, StageChanged

WINDOW = 100  # episodes, as Stable-Baselines3's ep_rew_mean
REWARD, EPISODES, PART = "rollout/policy_reward", "rollout/episodes", "reward/"


class EpisodeReward(msgspec.Struct, frozen=True):
    """Mean weighted reward of a car's episode. None, over 0 episodes, where none has ended."""

    mean: float | None = None
    episodes: int = 0


class RewardWindow:
    """The newest whole iterations that hold 100 episodes together, each counted by its episodes.

    It begins anew with a lesson and wherever other rewards are paid: their figures are no measure of one another.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        """records: oldest first."""
        self._ended: deque[tuple[float, int]] = deque()  # an iteration's mean, its episodes
        self._episodes = 0
        self._paid: frozenset[str] = frozenset()
        for record in records:
            self.take(record)

    @property
    def value(self) -> EpisodeReward:
        if not self._episodes:
            return EpisodeReward()
        return EpisodeReward(sum(mean * count for mean, count in self._ended) / self._episodes, self._episodes)

    @property
    def full(self) -> bool:
        return self._episodes >= WINDOW

    def take(self, record: Record) -> None:
        """What the journal says next."""
        match record:
            case IterationFinished():
                paid = (key.removeprefix(PART) for key in record.metrics if key.startswith(PART))
                self.iteration(record.metrics, paid)
            case PhaseChanged() | StageChanged():
                self.clear()
            case _:
                pass

    def iteration(self, metrics: Mapping[str, float | None], paid: Iterable[str]) -> None:
        """One more. metrics: with its mean reward and its ended episodes; paid: the names of its rewards."""
        names = frozenset(paid)
        if names != self._paid:
            self.clear()
            self._paid = names
        mean, episodes = metrics.get(REWARD), int(metrics.get(EPISODES) or 0)
        if mean is None or not math.isfinite(mean) or episodes <= 0:
            return
        self._ended.append((mean, episodes))
        self._episodes += episodes
        while self._episodes - self._ended[0][1] >= WINDOW:
            self._episodes -= self._ended.popleft()[1]

    def clear(self) -> None:
        """Another lesson has begun."""
        self._ended.clear()
        self._episodes = 0
