"""The debug flags that are on, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from rltui.tui.run.model import FlagRow, RunSnapshot

SHORT: Mapping[str, str] = {
    "global_debug_mode": "global",
    "debug_actions": "actions",
    "debug_learning": "learning",
    "debug_checkpoints": "checkpoints",
    "debug_turtled_start": "turtled start",
}


def flags_on(snapshot: RunSnapshot) -> tuple[FlagRow, ...]:
    """As the trainer says; none where nobody is connected to hear it."""
    return snapshot.flags if snapshot.link.connected and snapshot.finished is None else ()


def is_on(snapshot: RunSnapshot, flag: str) -> bool:
    """For any worker."""
    return any(row.flag == flag for row in flags_on(snapshot))


def state_of(snapshot: RunSnapshot, flag: str, worker: int | None = None) -> str:
    """on, off, or part: on for some of the workers where all are asked about (worker None)."""
    row = next((row for row in flags_on(snapshot) if row.flag == flag), None)
    if row is None:
        return "off"
    if row.workers is None:
        return "on"
    return "part" if worker is None else "on" if worker in row.workers else "off"


def flag_words(snapshot: RunSnapshot) -> str:
    """`actions, turtled start (worker 1)`; empty while all are off."""
    return ", ".join(SHORT.get(row.flag, row.flag) + _where(row) for row in flags_on(snapshot))


def _where(row: FlagRow) -> str:
    return "" if row.workers is None else f" (worker {', '.join(map(str, row.workers))})"
