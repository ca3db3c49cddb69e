"""Skill: what a bot does in its own games, over the newest iterations, beside what a phase wants of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from rltui.env.stats import EpisodeStats
from rltui.events.metrics import BY_KEY
from rltui.events.promotion import CURRICULUM, MISSING
from rltui.profile.rules import metric_key
from rltui.train.iteration_report import skill_metrics


@dataclass(frozen=True)
class Criterion:
    """A metric and what it must reach: at least, or at most where less is better."""

    name: str  # as the profile has it
    key: str  # of the metric
    wanted: float

    def missing(self, value: float) -> float:
        """How far away; 0 where it is reached."""
        away = value - self.wanted if BY_KEY[self.key].good == "down" else self.wanted - value
        return max(0.0, away)

    def said(self, value: float) -> str:
        """`kickoff touches 83.1 (80 wanted)`."""
        return f"{BY_KEY[self.key].label} {value:.3g} ({self.wanted:g} wanted)"


def criteria(until: Mapping[str, float]) -> tuple[Criterion, ...]:
    """A phase's, from the profile, which has been checked."""
    return tuple(Criterion(name, metric_key(name) or name, wanted) for name, wanted in until.items())


class SkillWindow:
    """The newest iterations' statistics. A ratio is that of the sums, so that an iteration counts by what it holds."""

    def __init__(self, iterations: int, wanted: tuple[Criterion, ...]) -> None:
        self.wanted = wanted
        self._stats: deque[EpisodeStats] = deque(maxlen=iterations)

    def add(self, stats: EpisodeStats) -> None:
        """One iteration of the match, all workers together; forgotten at once where nothing is wanted."""
        if self.wanted:
            self._stats.append(stats)

    @property
    def reached(self) -> bool:
        """Whether the window is full and everything that is wanted is there. Nothing wanted is nothing reached."""
        full = len(self._stats) == self._stats.maxlen
        return full and bool(self.wanted) and all(value == 0.0 for _, value in self._missing())

    def metrics(self) -> dict[str, float | None]:
        """`curriculum/<name>` and `curriculum/<name>_missing` of each criterion, None where there is nothing to go by; and of the
        window itself, in iterations.
        """
        found: dict[str, float | None] = {}
        values = self._values()
        for criterion, missing in self._missing():
            found[f"{CURRICULUM}{criterion.name}"] = values.get(criterion.key)
            found[f"{CURRICULUM}{criterion.name}{MISSING}"] = missing
        if self.wanted:
            found["curriculum/window"] = len(self._stats)
            found["curriculum/window_missing"] = (self._stats.maxlen or 0) - len(self._stats)
        return found

    def said(self) -> str:
        """The criteria with their values, for people."""
        values = self._values()
        return ", ".join(
            criterion.said(value) for criterion in self.wanted if (value := values.get(criterion.key)) is not None
        )

    def stored(self) -> list[dict[str, Any]]:
        """Plain data for a checkpoint."""
        return [msgspec.to_builtins(stats) for stats in self._stats]

    def restore(self, stored: Iterable[dict[str, Any]]) -> bool:
        """Take over what was stored; False, and nothing taken, where another version counted otherwise."""
        try:
            stats = [msgspec.convert(one, EpisodeStats) for one in stored]
        except msgspec.ValidationError:
            return False
        self._stats.extend(stats)
        return True

    def _values(self) -> dict[str, float | None]:
        return skill_metrics(list(self._stats)) if self._stats else {}

    def _missing(self) -> list[tuple[Criterion, float | None]]:
        values = self._values()
        return [
            (criterion, None if (value := values.get(criterion.key)) is None else criterion.missing(value))
            for criterion in self.wanted
        ]
