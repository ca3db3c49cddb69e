"""Which slots of the cockpit are on screen at which terminal size, and where. Pure: sizes in, regions out.

charts and table fill the left, rewards, time and facts the right, log the bottom, with side beside it where there is room.
A pane whose slot is not on screen shares that of its fallback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.geometry import Region

from rltui.tui.panes.pane import Slot

FALLBACK: Mapping[Slot, Slot] = {"side": "table", "facts": "time"}
PARTNER: Mapping[Slot, Slot] = {
    "charts": "table",
    "rewards": "time",
    "side": "log",
}  # it grows at the other's cost, or with it
WIDE, TALL = 160, 46  # from here on facts and side have slots of their own
SINGLE_WIDTH, SINGLE_HEIGHT = 100, 30  # below either: one pane at a time
MINIMAL_WIDTH, MINIMAL_HEIGHT = 60, 15  # below either: the status alone
STATUS = 3  # rows: what is, what comes, how it does
FRAME = STATUS + 1  # with the footer
LEAST = 4  # rows of a slot, border included
MOST_RIGHT = 56  # columns
SIDE_SHARE = 0.4  # of the width


@dataclass(frozen=True, slots=True)
class Arrangement:
    """rooms: the slots on screen, within the body below the status; empty where it is minimal."""

    minimal: bool = False
    single: bool = False
    rooms: Mapping[Slot, Region] = field(default_factory=dict)

    def home(self, slot: Slot) -> Slot:
        """The slot that shows panes of `slot`."""
        return slot if slot in self.rooms else FALLBACK.get(slot, slot)


def arrangement(
    width: int, height: int, wanted: Mapping[Slot, int] | None = None, extra: Mapping[Slot, int] | None = None
) -> Arrangement:
    """For a terminal of this size. wanted: rows that the pane shown in each slot would fill, border included.

    extra: rows that the user gave to a slot or took from it.
    """
    if width < MINIMAL_WIDTH or height < MINIMAL_HEIGHT:
        return Arrangement(minimal=True)
    if is_single(width, height):
        return Arrangement(single=True, rooms={"charts": Region(0, 0, width, height - FRAME)})
    wide = width >= WIDE and height >= TALL
    rows = _Rows(height, wanted or {}, by_partner(extra or {}), wide)
    right = min(width * 4 // 11, MOST_RIGHT)
    left = width - right
    rooms: dict[Slot, Region] = {
        "charts": Region(0, 0, left, rows.upper - rows.table),
        "table": Region(0, rows.upper - rows.table, left, rows.table),
    }
    y = 0
    for slot, high in rows.right():
        rooms[slot] = Region(left, y, right, high)
        y += high
    side = int(width * SIDE_SHARE) if wide else 0
    rooms["log"] = Region(0, rows.upper, width - side, rows.bottom)
    if wide:
        rooms["side"] = Region(width - side, rows.upper, side, rows.bottom)
    return Arrangement(rooms=rooms)


def is_single(width: int, height: int) -> bool:
    """One pane at a time, or none."""
    return width < SINGLE_WIDTH or height < SINGLE_HEIGHT


def by_partner(extra: Mapping[Slot, int]) -> dict[Slot, int]:
    """The same wish told of the slots that have heights of their own: more charts are less table."""
    found: dict[Slot, int] = {}
    for slot, rows in extra.items():
        partner = PARTNER.get(slot, slot)
        found[partner] = found.get(partner, 0) + (-rows if slot in ("charts", "rewards") else rows)
    return found


class _Rows:
    """Heights of the parts of the body."""

    def __init__(self, height: int, wanted: Mapping[Slot, int], extra: Mapping[Slot, int], wide: bool) -> None:
        self._wanted, self._extra, self._wide, self._tall = wanted, extra, wide, height >= 36
        body = height - FRAME
        side = min(wanted.get("side", 0), body // 3) if wide else 0
        self.bottom = self._clamp("log", max(6, height // 5, side), body - 3 * LEAST)
        self.upper = body - self.bottom
        self.table = self._clamp(
            "table", min(max(wanted.get("table", 5), 5), max(self.upper // 2, 5)), self.upper - LEAST
        )

    def right(self) -> list[tuple[Slot, int]]:
        """Rewards, time and, where there is room, the run's facts, from top to bottom."""
        usual = self._wanted.get("time") or (16 if self._tall else 12)
        least = 2 * LEAST if self._wide else LEAST
        time = self._clamp("time", min(usual, self.upper - least), self.upper - least)
        left = self.upper - time
        if not self._wide:
            return [("rewards", left), ("time", time)]
        facts = self._clamp("facts", left // 2, left - LEAST)
        return [("rewards", left - facts), ("time", time), ("facts", facts)]

    def _clamp(self, slot: Slot, rows: int, most: int) -> int:
        return max(min(rows + self._extra.get(slot, 0), most), LEAST)
