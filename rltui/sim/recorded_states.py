"""Recorded states: an `.npz` file from which episodes can begin again (the reset `replay`), checked before it is used:
the simulator itself takes anything, NaN and cars outside the field too, without a word.

N states of the same team sizes; C cars, all blue, then all orange. World coordinates; uu, uu/s, rad/s, boost 0–100.

    blue, orange           whole numbers, the team sizes
    ball_position          [N, 3]
    ball_velocity          [N, 3]
    ball_angular_velocity  [N, 3]
    position               [N, C, 3]
    velocity               [N, C, 3]
    angular_velocity       [N, C, 3]
    rotation               [N, C, 3, 3], columns forward, right, up
    boost                  [N, C]
    on_ground              [N, C] true or false: three or more wheels down

and, where known,

    pad_timers             [N, 34] seconds until available, in RLGym's order
    flip_used              [N, C] true or false: neither flip nor double jump is left
    body_down              [N, C] true or false: the body, not a wheel, lies on the floor
    demolished             [N, C] true or false: the car is a wreck

Numbers of any float or integer type. Other arrays are passed over, so that a recording may hold more. A car that is
demolished has no state to begin from: such moments are left out, by whoever writes or by `load`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui import field, safe_io
from rltui.errors import RltuiError
from rltui.sim.state import ArenaSetup, Bool

Arrays = Mapping[str, NDArray[Any]]

MOST_MEMBERS, LARGEST = 256, 1 << 30  # of such a file; bytes of it, and of all that is in it
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
Rule = tuple[str, Callable[[NDArray[Any]], Bool]]
TURN = np.array([-1, -1, 1], np.float32)  # of a vector, by 180° about z
FLOOR_Z = 60.0  # a body below it that touches the world lies on the floor


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


@dataclass(frozen=True)
class RecordedStates:
    """What a file holds. arrays: by name, float32 and bool."""

    blue: int
    orange: int
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["boost"])

    def setup(self, index: int) -> ArenaSetup:
        """One of them, a copy."""
        return ArenaSetup(**{name: array[index].copy() for name, array in self.arrays.items()})

    def turned(self) -> RecordedStates:
        """The same seen from the other side: turned by 180° about z, the teams swapped."""
        arrays = {name: self._turned(name, array) for name, array in self.arrays.items()}
        return RecordedStates(self.orange, self.blue, arrays)

    def _turned(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        if name == "pad_timers":
            return array[:, ::-1]
        if not name.startswith("ball"):
            array = np.concatenate([array[:, self.blue :], array[:, : self.blue]], axis=1)
        if name in FLAGS or name == "boost":
            return array
        turned: NDArray[Any] = array * (TURN[:, None] if name == "rotation" else TURN)
        return turned


def load(path: Path) -> RecordedStates:
    """RltuiError names file, key, what was expected and what was found."""
    blue, orange, typed = checked(path, read_arrays(path, ("blue", "orange", *NEEDED, *OPTIONAL)))
    return RecordedStates(blue, orange, _usable_starts(path, typed))


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Those of these names that an .npz file has. RltuiError names file, key and what was found."""
    arrays: dict[str, NDArray[Any]] = {}
    name = ""
    try:
        safe_io.check(path, LARGEST)
        with safe_io.open_to_read(path) as raw:
            safe_io.check_archive(raw, MOST_MEMBERS, LARGEST)
            file = np.load(raw, allow_pickle=False)
            for name in names:
                if name in file.files:
                    arrays[name] = file[name]
    except FileNotFoundError:
        raise refused(path, "no such file") from None
    except OSError as error:
        raise refused(path, f"cannot be read: {safe_io.reason(error)}") from error
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        place = f"{name}: " if name else ""
        raise refused(path, f"{place}expected plain arrays in an .npz file, found something else ({error})") from error
    return arrays


def _usable_starts(path: Path, arrays: dict[str, NDArray[Any]]) -> Arrays:
    """Without the moments that have a wreck. RltuiError when none is left."""
    demolished = arrays.pop("demolished", None)
    if demolished is None or not demolished.any():
        return arrays
    whole = ~demolished.any(axis=1)
    if not whole.any():
        raise refused(path, f"demolished: expected a state without a wreck, found none in {len(whole)}")
    return {name: array[whole] for name, array in arrays.items()}
