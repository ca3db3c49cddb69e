"""Action tables from a user's .csv or .npy file. What is in the file is what is played: nothing is sorted or altered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rltui import plain_file
from rltui.actions.action_table import ActionTable
from rltui.actions.checked_rows import check_shape, table_error
from rltui.actions.csv_rows import read_csv
from rltui.sim.state import Float

WRITE = "write it with numpy.save: an array of numbers, eight in a row"


def table_in_file(path: Path) -> type[ActionTable]:
    """The class of the table in this file, a .csv or else a .npy one. RltuiError where there is no such file."""
    hint = "write the path of a .csv or .npy file"
    try:
        plain_file.check(path)
    except FileNotFoundError as error:
        raise table_error(f"no file {path}", hint) from error
    except OSError as error:
        raise table_error(f"{path}: {plain_file.reason(error)}", hint) from error
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
        plain_file.check(path)
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise table_error(f"{path}: cannot be read: {plain_file.reason(error)}", WRITE) from error
    except (ValueError, EOFError) as error:
        raise table_error(f"{path}: not an array of numbers written by numpy.save: {error}", WRITE) from error
    if not isinstance(array, np.ndarray):
        raise table_error(f"{path}: expected one array (.npy), found an archive of arrays (.npz)")
    check_shape(array, f"{path}: ")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinity, which is refused as such
        return np.array(array, np.float32)
