"""One step of a reward trace, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui.sim.field import CONTROLS, TICKS_PER_SECOND

BEFORE = ("step", "episode", "tick", "seconds", "action")
AFTER = ("total", "running_total", "terminated", "truncated", "touches")


def columns(components: Sequence[str]) -> list[str]:
    """Of the table that the steps make."""
    return [*BEFORE, *CONTROLS, *components, *AFTER]


@dataclass(frozen=True)
class TraceStep:
    """One step of the car. tick, seconds: since its episode began; action: row of the table, None where the policy does not
    play the car; terms: by component; running_total: since the episode began.
    """

    step: int
    episode: int
    tick: int
    action: int | None
    controls: tuple[float, ...]
    terms: tuple[float, ...]
    total: float
    running_total: float
    terminated: bool
    truncated: bool
    touches: int

    @property
    def cells(self) -> list[str]:
        """In the order of `columns`; numbers with as many digits as a float32 has."""
        row = "" if self.action is None else str(self.action)
        before = [str(self.step), str(self.episode), str(self.tick), _number(self.tick / TICKS_PER_SECOND), row]
        ends = [str(int(self.terminated)), str(int(self.truncated)), str(self.touches)]
        return [*before, *map(_number, (*self.controls, *self.terms, self.total, self.running_total)), *ends]


def _number(value: float) -> str:
    return f"{value + 0.0:.9g}"  # −0 is 0
