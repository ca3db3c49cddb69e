"""Action tables of users: from .csv, .npy or a function."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rltui import safe_io
from rltui.actions.table import MOST_ROWS, ActionTable, check_shape, table_error
from rltui.errors import in_words, where_in
from rltui.field import CONTROLS
from rltui.formatting import size
from rltui.sim.state import Float

COLUMNS = ", ".join(CONTROLS)
WRITE_CSV = "write eight comma-separated numbers per line, in UTF-8"
LARGEST = 16_000_000  # bytes; the longest table, with eight long numbers a row, has 13,000,000
MOST_LINES, LONGEST_LINE = 4 * MOST_ROWS, 10_000  # of a .csv, comments and empty lines among them; characters
WRITE_NPY = "write it with numpy.save: an array of numbers, eight per row"


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
        if safe_io.check(path) > LARGEST:
            raise table_error(
                f"{path}: larger than {size(LARGEST)}, which no table of {MOST_ROWS:,} rows is", WRITE_CSV
            )
        text = safe_io.read_bytes(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise table_error(f"{path}: not a text in UTF-8: {error.reason} at byte {error.start}", WRITE_CSV) from error
    except OSError as error:
        raise table_error(f"{path}: cannot be read: {safe_io.reason(error)}", WRITE_CSV) from error
    lines = text.count("\n") + text.count("\r")
    if lines > MOST_LINES:
        raise table_error(
            f"{path}: more than {MOST_LINES:,} lines, which no table of {MOST_ROWS:,} rows has", WRITE_CSV
        )
    long = next((n for n, line in enumerate(text.splitlines(), 1) if len(line) > LONGEST_LINE), 0)
    if long:
        raise table_error(f"{path}, line {long}: more than {LONGEST_LINE:,} characters", WRITE_CSV)
    return text


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
        "put the file's columns in this order",
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


def table_in_file(path: Path) -> type[ActionTable]:
    """The class of the table in this file, a .csv or else a .npy one. RltuiError where there is no such file."""
    hint = "write the path of a .csv or .npy file"
    try:
        safe_io.check(path)
    except FileNotFoundError as error:
        raise table_error(f"no file {path}", hint) from error
    except OSError as error:
        raise table_error(f"{path}: {safe_io.reason(error)}", hint) from error
    return _csv_table(path) if path.suffix.lower() == ".csv" else _npy_table(path)


def _csv_table(path: Path) -> type[ActionTable]:
    class CsvTable(ActionTable):
        """Eight numbers a line, separated by commas; the first line may name the columns."""

        def __init__(self, params: ActionTable.Params) -> None:
            super().__init__(params)
            self._lines: list[int] = []

        def rows(self) -> Float:
            rows, self._lines = read_csv(path)
            return rows

        def where(self, row: int) -> str:
            return f"{path}, line {self._lines[row]}"

    return CsvTable


def _npy_table(path: Path) -> type[ActionTable]:
    class NpyTable(ActionTable):
        """An array [N, 8] of numbers, as numpy.save writes it."""

        def rows(self) -> Float:
            return read_npy(path)

        def where(self, row: int) -> str:
            return f"{path}, row {row}"

    return NpyTable


def read_npy(path: Path) -> Float:
    """The array [N, 8] as float32. RltuiError naming the file and what is there instead."""
    try:
        safe_io.check(path, LARGEST)
        with safe_io.open_to_read(path) as file:
            if file.read(2) == b"PK":
                raise table_error(f"{path}: expected one array (.npy), found an archive of arrays (.npz)", WRITE_NPY)
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise table_error(f"{path}: cannot be read: {safe_io.reason(error)}", WRITE_NPY) from error
    except (ValueError, EOFError) as error:
        raise table_error(f"{path}: not an array of numbers written by numpy.save: {error}", WRITE_NPY) from error
    check_shape(array, f"{path}: ")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinity, which is refused as such
        return np.array(array, np.float32)


def table_of_function(function: Callable[[], Any], name: str) -> type[ActionTable]:
    """The class of the table that `function` returns; name: as the profile has it, for reports."""

    class FunctionTable(ActionTable):
        """The rows are made anew in each process."""

        def rows(self) -> Float:
            first, again = _call(function, name), _call(function, name)
            if first.shape != again.shape or not np.array_equal(first, again, equal_nan=first.dtype.kind == "f"):
                raise table_error(
                    f"{name} returns other rows when it is called again", "every process must get the same table"
                )
            rows: Float = first
            return rows

        def where(self, row: int) -> str:
            return f"{name}, row {row}"

    return FunctionTable


def _call(function: Callable[[], Any], name: str) -> Any:
    try:
        return np.asarray(function())
    except (Exception, SystemExit) as error:  # a user's function may raise anything
        own = getattr(sys.modules.get(function.__module__), "__file__", None)
        raise table_error(f"{name} raises {in_words(error)}{where_in(error, own)}") from error
