"""Cells of a chart laid over each other: curves in front, then what lies behind them, then lines in the blank rest. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rltui.tui.paint import Span

Layer = tuple[str, str]  # a row of characters, its role; a blank lets the next layer through
CURSOR_ROLE = "cursor"


def merged(
    layers: Sequence[Layer], columns: Mapping[int, Span], rest: Span = (" ", ""), cursor: int | None = None
) -> list[Span]:
    """One row of cells as spans: the first layer that is not blank, else the column's own sign, else `rest`.

    columns: signs of marks and the cursor by column. cursor: the column that is lit whatever stands in it.
    """
    spans: list[Span] = []
    for column, cells in enumerate(zip(*(text for text, _ in layers), strict=True)):
        front = next((index for index, cell in enumerate(cells) if cell != " "), None)
        cell = columns.get(column, rest) if front is None else (cells[front], layers[front][1])
        if column == cursor:
            cell = (cell[0], f"{cell[1]} {CURSOR_ROLE}".strip())
        joins = spans and (spans[-1][1] == cell[1] or (cell[0] == " " and column != cursor and not _lit(spans[-1])))
        if joins:
            spans[-1] = (spans[-1][0] + cell[0], spans[-1][1])
        else:
            spans.append(cell)
    return spans


def _lit(span: Span) -> bool:
    return CURSOR_ROLE in span[1].split()
