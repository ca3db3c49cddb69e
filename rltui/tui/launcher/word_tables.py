"""Small tables and indents of the launcher's words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.tui.paint import Line, crop_text, wrap

INDENT = 2


def table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Names and values, the values wrapped."""
    size = max((len(name) for name, _ in rows), default=0) + 2
    lines: list[Line] = []
    for name, value in rows:
        wrapped = wrap(value, max(width - size, 10))
        lines += [((f"{name if not index else '':<{size}}", "muted"), *row) for index, row in enumerate(wrapped)]
    return lines


def table_raw(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """As `table`, blanks kept: for aligned numbers."""
    size = max((len(name) for name, _ in rows), default=0) + 2
    return [((f"{name:<{size}}", "muted"), (crop_text(value, width - size), "")) for name, value in rows]


def indented(lines: Sequence[Line]) -> list[Line]:
    """Without the empty ones."""
    return [((" " * INDENT, ""), *line) for line in lines if line]


def signed(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    """(symbol, text, role) each, wrapped behind the symbol; what is good is said in the plain colour."""
    lines: list[Line] = []
    for symbol, text, role in rows:
        wrapped = wrap(text, width - 4, "" if role == "good" else role)
        lines += [((f"  {symbol if not index else ' '} ", role), *row) for index, row in enumerate(wrapped)]
    return lines
