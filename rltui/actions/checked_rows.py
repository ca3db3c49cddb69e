"""checked_rows: a table's rows, or a sentence that says which cell cannot be played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.actions.action_table import ActionTable
from rltui.errors import RltuiError
from rltui.sim.controls import CONTROLS
from rltui.sim.state import Bool, Float

MOST_ROWS = 65_535
BUTTONS = slice(5, 8)
SHOWN = 3  # bad cells that are named one by one


def checked_rows(table: ActionTable, clip: bool = False) -> Float:
    """float32 [N, 8] as the table has them. RltuiError naming row, column, expected and found.

    clip: numbers beyond −1..1 (buttons: 0..1) are no mistake, for the pipeline cuts them.
    """
    rows = np.asarray(table.rows())
    check_shape(rows)
    if not 1 <= len(rows) <= MOST_ROWS:
        raise table_error(f"expected 1 to {MOST_ROWS:,} rows, found {len(rows):,}")
    with np.errstate(over="ignore"):  # what float32 cannot hold shows as infinity
        played = np.ascontiguousarray(rows, np.float32)
    problems = list(_cell_problems(table, played, clip))
    if problems:
        more = len(problems) - SHOWN
        raise table_error("\n".join(problems[:SHOWN] + ([f"and {more:,} more such cells"] if more > 0 else [])))
    return played


def check_shape(rows: NDArray[Any], place: str = "") -> None:
    """RltuiError unless these are numbers [N, 8]; place: where they stand, as "file: "."""
    if rows.dtype.kind not in "fiub" or rows.ndim != 2 or rows.shape[1] != len(CONTROLS):
        raise table_error(
            f"{place}expected numbers [rows, {len(CONTROLS)}], found {rows.dtype} {list(rows.shape)}",
            f"columns: {', '.join(CONTROLS)}",
        )


def _cell_problems(table: ActionTable, rows: Float, clip: bool) -> Iterator[str]:
    """One sentence for each bad cell, row by row."""
    low, high = np.full(8, -1.0, np.float32), np.ones(8, np.float32)
    low[BUTTONS] = 0.0
    beyond = (rows < low) | (rows > high)
    bad: Bool = ~np.isfinite(rows)
    if not clip:
        bad |= beyond
    between = np.zeros_like(bad)
    between[:, BUTTONS] = (rows[:, BUTTONS] > 0) & (rows[:, BUTTONS] < 1)
    for row, column in np.argwhere(bad | between).tolist():
        expected = "0 or 1, for a button is pressed or not" if column >= BUTTONS.start else "a number in -1..1"
        hint = ", or set actions.clip = true" if beyond[row, column] and np.isfinite(rows[row, column]) else ""
        found = f"{rows[row, column]:.6g}"
        yield f"{table.where(row)}, column {CONTROLS[column]}: expected {expected}{hint}, found {found}"


def table_error(message: str, hint: str = "") -> RltuiError:
    """Bad input: exit code 2."""
    return RltuiError(f"action table: {message}", hint, exit_code=2)
