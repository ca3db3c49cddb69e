"""Whether arrays are recorded states: names, shapes, types, and numbers that the game can have.

The simulator itself takes anything, NaN and cars outside the field too, without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.errors import RltuiError
from rltui.sim import field
from rltui.sim.state import Bool

Arrays = Mapping[str, NDArray[Any]]

LENIENT = 1.001  # a recording's last digits are not at fault
REACH = np.array([field.SIDE_WALL_X, field.NET_Y, field.CEILING_Z])  # |x|, |y|, z of what is inside the field

NEEDED: Mapping[str, tuple[int | str, ...]] = {
    "ball_position": (3,),
    "ball_velocity": (3,),
    "ball_angular_velocity": (3,),
    "position": ("C", 3),
    "velocity": ("C", 3),
    "angular_velocity": ("C", 3),
    "rotation": ("C", 3, 3),
    "boost": ("C",),
    "on_ground": ("C",),
}
OPTIONAL: Mapping[str, tuple[int | str, ...]] = {
    "pad_timers": (field.PADS,),
    "flip_used": ("C",),
    "body_down": ("C",),
    "demolished": ("C",),
}
FLAGS = frozenset({"on_ground", "flip_used", "body_down", "demolished"})


def checked(path: Path, arrays: Arrays) -> tuple[int, int, dict[str, NDArray[Any]]]:
    """Team sizes, and the arrays as float32 and bool without what else there is. path: for the errors.

    RltuiError names file, key, what was expected and what was found.
    """
    missing = [name for name in ("blue", "orange", *NEEDED) if name not in arrays]
    if missing:
        raise refused(path, f"expected also {', '.join(missing)}, found {', '.join(arrays) or 'nothing'}")
    blue, orange = (_team_size(path, name, arrays[name]) for name in ("blue", "orange"))
    if blue + orange == 0:
        raise refused(path, "blue, orange: expected at least one car, found 0 and 0")
    boost = arrays["boost"]
    states = len(boost) if boost.ndim else 0
    typed: dict[str, NDArray[Any]] = {}
    for name, sizes in {**NEEDED, **OPTIONAL}.items():
        if name in arrays:
            shape = tuple(blue + orange if size == "C" else int(size) for size in sizes)
            typed[name] = _typed(path, name, arrays[name], (states, *shape))
            _check_numbers(path, name, typed[name])
    return blue, orange, typed


def refused(path: Path, what: str) -> RltuiError:
    return RltuiError(f"{path}: {what}", "rltui/sim/recorded_states.py says what such a file holds", exit_code=2)


def _team_size(path: Path, name: str, array: NDArray[Any]) -> int:
    if array.shape != () or array.dtype.kind not in "iu" or not 0 <= array <= field.MOST_CARS:
        found = array if array.shape == () else _brief(array)
        raise refused(path, f"{name}: expected a whole number from 0 to {field.MOST_CARS}, found {found}")
    return int(array)


def _typed(path: Path, name: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    kinds, words = ("b", "true or false") if name in FLAGS else ("fiu", "numbers")
    if array.shape != shape or array.dtype.kind not in kinds or not shape[0]:
        sizes = ", ".join(map(str, (shape[0] or "1 or more", *shape[1:])))
        raise refused(path, f"{name}: expected {words} [{sizes}], found {_brief(array)}")
    return np.ascontiguousarray(array, np.bool_ if name in FLAGS else np.float32)


def _brief(array: NDArray[Any]) -> str:
    return f"{array.dtype} {list(array.shape)}"


def _check_numbers(path: Path, name: str, array: NDArray[Any]) -> None:
    """The first state with a number that cannot be is named by its index."""
    if name in FLAGS:
        return
    words, holds = RULES[name]
    right = holds(array) & np.isfinite(array).reshape(*holds(array).shape, -1).all(axis=-1)
    if not right.all():
        at = np.argwhere(~right)[0]
        found = re.sub(r"\s+", " ", np.array2string(array[tuple(at)], precision=4, separator=","))
        raise refused(path, f"{name}[{', '.join(map(str, at))}]: expected {words}, found {found}")


Rule = tuple[str, Callable[[NDArray[Any]], Bool]]


def _inside(places: NDArray[Any]) -> Bool:
    right: Bool = (np.abs(places) <= REACH * LENIENT).all(axis=-1) & (places[..., 2] >= 0)
    return right


def _at_most(limit: float, words: str) -> Rule:
    """Of vectors."""
    return f"{words} of at most {limit:g}", lambda vectors: np.linalg.norm(vectors, axis=-1) <= limit * LENIENT


def _between(low: float, high: float) -> Rule:
    return f"{low:g} to {high:g}", lambda numbers: (numbers >= low) & (numbers <= high * LENIENT)


def _is_rotation(matrices: NDArray[Any]) -> Bool:
    square = np.swapaxes(matrices, -1, -2) @ matrices
    right: Bool = (np.abs(square - np.eye(3)) < 0.01).all(axis=(-1, -2)) & (np.linalg.det(matrices) > 0)
    return right


RULES: Mapping[str, Rule] = {
    "ball_position": ("a place inside the field", _inside),
    "ball_velocity": _at_most(field.BALL_MAX_SPEED, "a speed"),
    "ball_angular_velocity": _at_most(field.BALL_MAX_SPIN, "a spin"),
    "position": ("a place inside the field", _inside),
    "velocity": _at_most(field.CAR_MAX_SPEED, "a speed"),
    "angular_velocity": _at_most(field.CAR_MAX_SPIN, "a spin"),
    "rotation": ("a rotation, columns forward, right, up", _is_rotation),
    "boost": _between(0.0, 100.0),
    "pad_timers": _between(0.0, field.BIG_PAD_SECONDS),
}
