"""Which slots of the cockpit are on screen at which terminal size, and how high. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from rltui.tui.panes.pane import Slot

ALL: frozenset[Slot] = frozenset({"charts", "table", "rewards", "time", "log"})
WIDE = 160  # columns from which the run's facts have a pane of their own
TALL = 46
SINGLE_WIDTH, SINGLE_HEIGHT = 100, 30  # below either: one pane at a time
MINIMAL_WIDTH, MINIMAL_HEIGHT = 60, 15  # below either: the status alone


@dataclass(frozen=True, slots=True)
class Arrangement:
    """heights: rows of the slots that do not share what is left."""

    minimal: bool = False
    single: bool = False
    shown: frozenset[Slot] = ALL
    heights: dict[Slot, int] = field(default_factory=dict)


def arrangement(width: int, height: int, workers: int) -> Arrangement:
    """For a terminal of this size and so many workers."""
    if width < MINIMAL_WIDTH or height < MINIMAL_HEIGHT:
        return Arrangement(minimal=True)
    if width < SINGLE_WIDTH or height < SINGLE_HEIGHT:
        return Arrangement(single=True, heights={"table": 1, "log": 1, "time": 1})
    log = max(6, height // 5)
    table = min(max(workers, 2) + 3, max(5, height // 4))
    facts = width >= WIDE and height >= TALL
    heights: dict[Slot, int] = {"table": table, "log": log, "time": 16 if height >= 36 else 12}
    return Arrangement(shown=ALL | {"facts"} if facts else ALL, heights=heights)
