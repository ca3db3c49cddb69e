"""Action tables that a user's function makes: `module:function` or `path/to/file.py:function`, an array [N, 8]."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rltui.actions.action_table import ActionTable
from rltui.actions.checked_rows import table_error
from rltui.errors import in_words, where_in
from rltui.sim.state import Float


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
