"""Columns of text, and numbers as people read them. Unknown is a dash, never 0."""

from __future__ import annotations

from collections.abc import Sequence

UNKNOWN = "-"


def aligned(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as lines with columns two spaces apart; those in `right` end together."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def number(value: float | None, form: str = ",.0f", unit: str = "") -> str:
    """`12,431,360`, `14,100 steps/s`; a dash for None."""
    return UNKNOWN if value is None else f"{value:{form}}" + (f" {unit}" if unit else "")


def size(count: float | None) -> str:
    """Bytes as `212.3 GiB`."""
    if count is None:
        return UNKNOWN
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
