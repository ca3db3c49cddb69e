"""What a bot chooses from its action table, from the counts of its rows: shares, dead rows, left and right. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ENOUGH = 1000  # choices before anything is concluded
LOPSIDED = 3.0  # times more to one side than to the other
FEW = 0.5  # share of rows never chosen that is worth a word
MUCH = 0.5  # share of one row that is worth a word
STEER, PITCH, ROLL, JUMP, BOOST, HANDBRAKE = 1, 2, 4, 5, 6, 7
Controls = Sequence[Sequence[float | None]]  # [rows][8]


@dataclass(frozen=True, slots=True)
class Use:
    """counts: by row, since the trainer started. Shares are 0–1 of all choices, None before the first."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)

    def share(self, row: int) -> float | None:
        return self.counts[row] / self.total if self.total else None

    @property
    def dead(self) -> int:
        """Rows never chosen."""
        return sum(not count for count in self.counts)

    @property
    def entropy(self) -> float | None:
        """Nats: −Σ p ln p over the rows; ln n where all n are chosen alike."""
        total = self.total
        if not total:
            return None
        return -sum(count / total * math.log(count / total) for count in self.counts if count)

    def order(self, by_use: bool) -> list[int]:
        """Row numbers, most chosen first or as the table has them."""
        rows = range(len(self.counts))
        return sorted(rows, key=lambda row: (-self.counts[row], row)) if by_use else list(rows)

    def held(self, controls: Controls, column: int, sign: int) -> float | None:
        """Share of choices that have this control on one side of zero."""
        if not self.total or len(controls) != len(self.counts):
            return None
        chosen = (count for count, row in zip(self.counts, controls, strict=True) if (row[column] or 0) * sign > 0)
        return sum(chosen) / self.total


SIDES = (("left", "right", STEER, "turns"), ("down", "up", PITCH, "nose"), ("left", "right", ROLL, "rolls"))


def sides(use: Use, controls: Controls) -> list[tuple[str, str, float, str, float]]:
    """(what, one side, its share, the other, its share) for steering, pitch and roll, where the table has them."""
    found = []
    for one, other, column, what in SIDES:
        first, second = use.held(controls, column, -1), use.held(controls, column, 1)
        if first is not None and second is not None and first + second > 0:
            found.append((what, one, first, other, second))
    return found


def warnings(use: Use, controls: Controls) -> Iterator[str]:
    """What should not be so, once there are enough choices to say it."""
    total = use.total
    if total < ENOUGH:
        return
    what, one, left, other, right = next(iter(sides(use, controls)), ("", "", 0.0, "", 0.0))
    if what == "turns" and max(left, right) > LOPSIDED * min(left, right):
        yield (
            f"turns {one} {_percent(left)}, {other} {_percent(right)}: it leans to one side; are both legal "
            "and in the table, is the observation mirrored right?"
        )
    most = max(range(len(use.counts)), key=lambda row: use.counts[row])
    if use.counts[most] > MUCH * total:
        yield f"row {most} is {_percent(use.counts[most] / total)} of all choices: raise the entropy coefficient if that is early"
    if use.dead > FEW * len(use.counts):
        yield f"{use.dead} of {len(use.counts)} rows were never chosen: they do nothing, or are never legal"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"
