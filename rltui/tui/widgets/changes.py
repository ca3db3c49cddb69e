"""Where two drawings of a line differ, for a widget that draws often and sends no more than that. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Region

from rltui.tui.paint import Line, width_of


def changed_regions(before: Sequence[Line], now: Sequence[Line], width: int, height: int) -> list[Region]:
    """One for each row that differs, as narrow as it may be."""
    found = []
    for y in range(min(max(len(before), len(now)), height)):
        was, is_now = (lines[y] if y < len(lines) else () for lines in (before, now))
        if was != is_now and (columns := changed_columns(was, is_now, width)):
            found.append(Region(columns[0], y, columns[1] - columns[0], 1))
    return found


def changed_columns(was: Line, now: Line, width: int) -> tuple[int, int] | None:
    """From the first column that differs to behind the last; None where none does."""
    if any(width_of(line) != sum(len(text) for text, _ in line) for line in (was, now)):
        return 0, width  # a character is wide or has no width: its column is not its number
    old, new = _cells(was, width), _cells(now, width)
    differ = [column for column in range(width) if old[column] != new[column]]
    return (differ[0], differ[-1] + 1) if differ else None


def _cells(line: Line, width: int) -> list[tuple[str, str]]:
    """Character and role of each column."""
    cells = [(char, role) for text, role in line for char in text][:width]
    return cells + [(" ", "")] * (width - len(cells))
