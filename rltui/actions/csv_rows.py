"""read_csv: the rows of a table written as text, with the line on which each stands."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from rltui import plain_file
from rltui.actions.checked_rows import MOST_ROWS, table_error
from rltui.figures import size
from rltui.sim.controls import CONTROLS
from rltui.sim.state import Float

COLUMNS = ", ".join(CONTROLS)
WRITE = "write eight numbers a line, separated by commas, as text in UTF-8"
LARGEST = 64_000_000  # bytes; the longest table, with eight long numbers a row, has 13,000,000


def read_csv(path: Path) -> tuple[Float, list[int]]:
    """The rows float32 [N, 8] and their lines, counted from 1. RltuiError naming file, line and column.

    Empty lines and those that begin with # are passed over, save a header so marked (numpy.savetxt does that).
    """
    reader = csv.reader(io.StringIO(_text(path), newline=None), skipinitialspace=True)
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        for raw in reader:
            cells, place = [cell.strip() for cell in raw], f"{path}, line {reader.line_num}"
            names = _header(cells)
            if names and not rows:
                _check_order(names, place)
            elif any(cells) and not cells[0].startswith("#"):
                rows.append(_numbers(cells, place))
                lines.append(reader.line_num)
            if len(rows) > MOST_ROWS:
                raise table_error(f"{path}: more than {MOST_ROWS:,} rows")
    except csv.Error as error:
        raise table_error(f"{path}, line {reader.line_num}: {error}") from error
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinity, which is refused as such
        return np.array(rows, np.float64).reshape(-1, len(CONTROLS)).astype(np.float32), lines


def _text(path: Path) -> str:
    try:
        if plain_file.check(path) > LARGEST:
            raise table_error(f"{path}: larger than {size(LARGEST)}, which no table of {MOST_ROWS:,} rows is", WRITE)
        return plain_file.read_bytes(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise table_error(f"{path}: not a text in UTF-8: {error.reason} at byte {error.start}", WRITE) from error
    except OSError as error:
        raise table_error(f"{path}: cannot be read: {plain_file.reason(error)}", WRITE) from error


def _header(cells: list[str]) -> list[str]:
    """The column names, if this line is a header: none of it is a number. Behind a # all must be names of controls."""
    if len(cells) < 2 or not any(cells) or any(_number(cell) is not None for cell in cells):
        return []
    if not cells[0].startswith("#"):
        return cells
    names = [cells[0].lstrip("# "), *cells[1:]]
    return names if all(name.lower() in CONTROLS for name in names) else []


def _check_order(names: list[str], place: str) -> None:
    lower = [name.lower() for name in names]
    if lower == list(CONTROLS):
        return
    wrong = "the columns stand in another order" if sorted(lower) == sorted(CONTROLS) else "these are not the columns"
    raise table_error(
        f"{place}: {wrong}: expected {COLUMNS}, found {', '.join(names)}",
        "put the file's columns in this order; they are never moved about silently",
    )


def _numbers(cells: list[str], place: str) -> list[float]:
    if len(cells) != len(CONTROLS):
        raise table_error(
            f"{place}: expected {len(CONTROLS)} numbers separated by commas, found {len(cells)}", f"columns: {COLUMNS}"
        )
    return [_control(name, cell, place) for name, cell in zip(CONTROLS, cells, strict=True)]


def _control(name: str, cell: str, place: str) -> float:
    number = _number(cell)
    if number is None:
        raise table_error(f"{place}, column {name}: expected a number, found {cell[:40]!r}")
    return number


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
