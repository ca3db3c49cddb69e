"""Distance to the next curriculum phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rltui.events import metric_keys
from rltui.events.metrics import BY_KEY, criterion_by_games
from rltui.formatting import UNKNOWN

CURRICULUM, MISSING = "curriculum/", "_missing"
COUNTED = ("min_steps", "window")  # counted, not measured
Metrics = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Distance:
    """One criterion. value: now; missing: how far away, 0 where it is reached. Unknown is None."""

    name: str  # as the profile has it; min_steps and window are the curriculum's own
    value: float | None
    missing: float | None

    @property
    def label(self) -> str:
        """In words: kickoff touches."""
        if self.name in COUNTED:
            return BY_KEY[CURRICULUM + self.name].label
        by_games = criterion_by_games(self.name)
        return by_games.label if by_games is not None else self.name.rpartition("/")[2].replace("_", " ")

    @property
    def words(self) -> str:
        """`kickoff touches 62 (18 missing)`."""
        form = ",.0f" if self.name in COUNTED else ".3g"
        shown = UNKNOWN if self.value is None else format(self.value, form)
        if self.missing is None:
            return f"{self.label} {shown}"
        return f"{self.label} {shown} " + ("(reached)" if self.missing == 0 else f"({self.missing:{form}} missing)")


def distances(metrics: Metrics) -> list[Distance]:
    """Everything that the next phase waits for; empty outside campaigns and in a last phase."""
    return [
        Distance(key[len(CURRICULUM) : -len(MISSING)], metrics.get(key.removesuffix(MISSING)), value)
        for key, value in metrics.items()
        if key.startswith(CURRICULUM) and key.endswith(MISSING)
    ]


def phase_position(metrics: Metrics) -> str:
    """`phase 2 of 4`; empty outside campaigns."""
    position, phases = metrics.get(metric_keys.POSITION), metrics.get(metric_keys.PHASES)
    return "" if position is None or phases is None else f"phase {position:.0f} of {phases:.0f}"


def criteria_reached(metrics: Metrics) -> str:
    """`1 of 3 reached`; empty where nothing is waited for."""
    found = distances(metrics)
    return f"{sum(one.missing == 0 for one in found)} of {len(found)} reached" if found else ""
