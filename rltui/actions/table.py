"""ActionTable base class, its hash, validation of rows, rows in words."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rltui.errors import RltuiError
from rltui.field import CONTROLS, MIRROR_CONTROLS
from rltui.sim.state import Bool, Float, Int

MOST_ROWS = 65_535
BUTTONS = slice(5, 8)
SHOWN = 3  # bad cells that are named one by one
WAYS = {  # what a negative and a positive value of a control do
    "throttle": ("reverse", "throttle"),
    "steer": ("steer left", "steer right"),
    "pitch": ("nose down", "nose up"),
    "yaw": ("yaw left", "yaw right"),
    "roll": ("roll left", "roll right"),
}
BUTTON_NAMES = ("jump", "boost", "handbrake")


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


def mirror_rows(rows: Float) -> Int:
    """int64 [N], of each row the one with steer, yaw and roll negated; of rows that are alike the first is the first one's.

    RltuiError naming a row that has none. Pairs have the same masks, which go by jump, boost and idling alone.
    """
    places: defaultdict[tuple[float, ...], deque[int]] = defaultdict(deque)
    for row, controls in enumerate(rows.tolist()):
        places[tuple(controls)].append(row)
    partners: list[int] = []
    for row, image in enumerate((rows * np.array(MIRROR_CONTROLS, np.float32) + np.float32(0)).tolist()):
        found = places[tuple(image)]
        if not found:
            raise table_error(
                f"row {row} ({describe(rows[row])}) has no left-right mirror image, which ppo.mirror_augmentation needs",
                f"add a row {', '.join(f'{value:g}' for value in image)}",
            )
        partners.append(found.popleft())
    return np.array(partners, np.int64)


def table_error(message: str, hint: str = "") -> RltuiError:
    """Bad input: exit code 2."""
    return RltuiError(f"action table: {message}", hint, exit_code=2)


def describe(row: Sequence[float]) -> str:
    """Eight controls in the order of CONTROLS as "full throttle, left, boost". Steer and yaw that agree are one word."""
    values = dict(zip(CONTROLS, map(float, row), strict=True))
    words = [*_directions(values), *(name for name in BUTTON_NAMES if values[name])]
    return ", ".join(words) or "idle"


def _directions(values: dict[str, float]) -> Iterator[str]:
    if values["throttle"]:
        yield _full(values["throttle"]) + WAYS["throttle"][values["throttle"] > 0]
    linked = values["steer"] == values["yaw"]
    for name in ("steer", "pitch", "yaw", "roll"):
        value = values[name]
        if not value or (linked and name == "yaw"):
            continue
        words = WAYS[name][value > 0]
        yield _part(value) + (words.removeprefix("steer ") if linked else words)


def _full(value: float) -> str:
    return "full " if abs(value) == 1 else _part(value)


def _part(value: float) -> str:
    """Of a full deflection; nothing is said of a whole one."""
    return "" if abs(value) == 1 else "half " if abs(value) == 0.5 else f"{100 * abs(value):.3g} % "
