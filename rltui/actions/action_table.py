"""What every action table is: N rows of eight controls, of which a policy chooses one a step (RLGym: ActionParser)."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rltui.errors import RltuiError
from rltui.sim.state import Float, Int


class ActionTable(ABC):
    """A fixed list of controls. The row number is the action; the table's hash stands in every checkpoint."""

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def rows(self) -> Float:
        """float32 [N, 8], the controls in the order of CONTROLS: the first five in −1..1, the buttons 0 or 1."""

    def where(self, row: int) -> str:
        """Where a row stands, for the report of what is wrong with it."""
        return f"row {row}"


def table_hash(rows: ArrayLike) -> str:
    """64 hex digits: SHA-256 of the shape, then of the rows as float32, little-endian, row by row.

    −0.0 counts as 0.0: both are the same control.
    """
    table = np.ascontiguousarray(rows, dtype="<f4") + np.float32(0.0)
    digest = hashlib.sha256("x".join(map(str, table.shape)).encode())
    digest.update(table.tobytes())
    return digest.hexdigest()


def check_indices(actions: Int, n_actions: int) -> None:
    """RltuiError naming arena and car when an action of [K, C] is not a row of the table (a negative one would wrap)."""
    if actions.dtype != np.int64:
        raise RltuiError(f"actions must be int64 row numbers of the action table, found {actions.dtype}{_odd(actions)}")
    if actions.size and int(actions.view(np.uint64).max()) >= n_actions:  # as unsigned, a negative one is huge
        arena, car = np.argwhere((actions < 0) | (actions >= n_actions))[0]
        raise RltuiError(
            f"arena {arena}, car {car}: action {actions[arena, car]} is not a row of the action table",
            f"rows are 0 to {n_actions - 1}",
        )


def _odd(actions: NDArray[Any]) -> str:
    """Where the first number that is not whole stands, or ""."""
    if actions.dtype.kind != "f" or not (actions != np.floor(actions)).any():
        return ""
    arena, car = np.argwhere(actions != np.floor(actions))[0]
    return f": arena {arena}, car {car} has {actions[arena, car]}"
