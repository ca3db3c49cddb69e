"""Records of what was found about an action table, and how sentences list things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["pass", "warn", "fail"]
WORST: tuple[Outcome, ...] = ("fail", "warn", "pass")


@dataclass(frozen=True)
class TableCheck:
    """One thing looked at. sentence: what was found and, where it is wrong, what the bot could not do."""

    key: str
    outcome: Outcome
    sentence: str
    states: tuple[str, ...] = ()  # names of the canonical states that it is about; none: the table as a whole


@dataclass(frozen=True)
class StateReport:
    """What the table offers in one canonical state."""

    state: str
    legal: int  # rows
    effects: int  # legal rows that differ in what they do
    values: Mapping[str, tuple[float, ...]]  # control → distinct values among the legal rows
    moves: Mapping[str, int]  # what the rows do, as "turns left" → how many of the legal ones do it


@dataclass(frozen=True)
class TableReport:
    """Everything about one table."""

    rows: int
    table_hash: str
    legality: str  # off, mask or fallback
    checks: tuple[TableCheck, ...]
    states: tuple[StateReport, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst of all checks."""
        return worst(self.checks)

    def of(self, outcome: Outcome) -> list[TableCheck]:
        """The checks that ended so."""
        return [check for check in self.checks if check.outcome == outcome]


def worst(checks: Sequence[TableCheck]) -> Outcome:
    """The worst outcome; pass where there is none."""
    found = {check.outcome for check in checks}
    return next((outcome for outcome in WORST if outcome in found), "pass")


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


def some(numbers: Sequence[int], shown: int = 5) -> str:
    """`row 3`, `rows 3 and 8`, `rows 1, 2, 3, 4, 5 and 12 more`."""
    words = [str(number) for number in numbers[:shown]]
    rest = len(numbers) - shown
    return ("row " if len(numbers) == 1 else "rows ") + listed([*words, f"{rest:,} more"] if rest > 0 else words)
