"""Mean reward over the newest 100 episodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from rltui.events.records import IterationFinished, PhaseChanged, Record, StageChanged
from rltui.formatting import known

WINDOW = 100  # episodes, as Stable-Baselines3's ep_rew_mean
REWARD, EPISODES, PART = "rollout/policy_reward", "rollout/episodes", "reward/"
WEIGHT = "weight/"  # of a reward, where it is not just as the profile has it
FIRST_EPISODES = "rollout/first_episodes"  # % of the arenas that are still in the episode that they began with
FEW = 1.0  # % of them that no longer matter
SHORT_SO_FAR = "short episodes so far"  # beside every reward that is of such a time
WHY_SHORT = "since the start, resume or new phase no long one has ended"


class EpisodeReward(msgspec.Struct, frozen=True):
    """Mean weighted reward of a car's episode. None, over 0 episodes, where none has ended; known over 0 where a script of
    others tells a mean and not of how many.

    short: all arenas have just started, and so far mostly short episodes have ended: the mean is theirs.
    parts: by reward, its mean contribution; together they are the mean. Empty where not told.
    """

    mean: float | None = None
    episodes: int = 0
    short: bool = False
    parts: dict[str, float] = {}


class RewardWindow:
    """The newest whole iterations that hold 100 episodes together, each counted by its episodes.

    It is cleared by another task and wherever other rewards are paid: their figures are no measure of one another.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        """records: oldest first."""
        self._ended: deque[tuple[float, int, dict[str, float]]] = deque()  # by iteration: mean, episodes, mean's parts
        self._episodes = 0
        self._paid: frozenset[str] = frozenset()
        self._keys: tuple[str, ...] = ()  # of the newest record's metrics
        self._rewards: tuple[str, ...] = ()  # among them
        self._short = False
        self._untold: float | None = None  # the newest mean of whoever does not count episodes
        for record in records:
            self.take(record)

    @property
    def value(self) -> EpisodeReward:
        if not self._episodes:
            return EpisodeReward(self._untold)
        mean = sum(mean * count for mean, count, _ in self._ended) / self._episodes
        names = [name for name in self._ended[-1][2] if all(name in parts for _, _, parts in self._ended)]
        parts = {name: sum(parts[name] * count for _, count, parts in self._ended) / self._episodes for name in names}
        return EpisodeReward(mean, self._episodes, self._short, parts)

    @property
    def full(self) -> bool:
        return self._episodes >= WINDOW or self._untold is not None

    def take(self, record: Record) -> None:
        """What the journal says next."""
        match record:
            case IterationFinished():
                keys = tuple(record.metrics)
                if keys != self._keys:  # looked through once: a thousand rows have the same
                    self._keys = keys
                    self._rewards = tuple(key.removeprefix(PART) for key in keys if key.startswith(PART))
                self.iteration(record.metrics, self._rewards)
            case PhaseChanged() | StageChanged():
                self.clear()
            case _:
                pass

    def iteration(self, metrics: Mapping[str, float | None], paid: Iterable[str]) -> None:
        """One more. metrics: its mean reward, its ended episodes, and parts, None or NaN where unknown. paid: its rewards' names."""
        names = tuple(paid)
        if self._paid != set(names):
            self.clear()
            self._paid = frozenset(names)
        self._untold = _untold(metrics)
        ended = _ended(metrics)
        if ended is None:
            return
        self._short = mostly_short(metrics.get(FIRST_EPISODES))
        parts = {name: value for name in names if known(value := metrics.get(PART + name))}
        self._ended.append((*ended, parts))
        self._episodes += ended[1]
        while self._episodes - self._ended[0][1] >= WINDOW:
            self._episodes -= self._ended.popleft()[1]

    def clear(self) -> None:
        """Another task has begun."""
        self._ended.clear()
        self._episodes, self._untold = 0, None


def newest_window(records: Sequence[Record]) -> RewardWindow:
    """Over all of them, oldest first; only those are looked at that it takes."""
    episodes, start = 0, len(records)
    while start and episodes < WINDOW:
        start -= 1
        record = records[start]
        if isinstance(record, IterationFinished) and _untold(record.metrics) is not None:
            break
        if isinstance(record, IterationFinished) and (ended := _ended(record.metrics)) is not None:
            episodes += ended[1]
    return RewardWindow(records[start:])


def mostly_short(first_episodes: float | None) -> bool:
    """Whether episodes that ended by then are mostly short ones. first_episodes: the metric, None or NaN where unknown."""
    return first_episodes is not None and first_episodes > FEW


def _ended(metrics: Mapping[str, float | None]) -> tuple[float, int] | None:
    """Mean reward and number of the episodes that ended; None where none has, or that is not known."""
    mean, ended = metrics.get(REWARD), metrics.get(EPISODES)
    if not known(mean) or not known(ended) or ended < 1:
        return None
    return mean, int(ended)


def _untold(metrics: Mapping[str, float | None]) -> float | None:
    """The mean reward where episodes are not counted; else None."""
    mean = metrics.get(REWARD) if EPISODES not in metrics else None
    return mean if known(mean) else None
