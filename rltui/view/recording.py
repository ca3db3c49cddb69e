"""Recording: a match as an `.npz` file, to be watched again or to begin episodes with (the reset `replay`).

It holds what rltui/sim/recorded_states.py lists, moment after moment, and beside it

    names                  [2] text, who played blue and orange
    tick                   [N] whole numbers, ascending: 1/120 s since the match began
    score                  [N, 2] whole numbers
    goal                   [N] +1 blue has just scored, −1 orange, 0 neither
    controls               [N, C, 8] being played
    touches                [N, C] whole numbers, of the ball since the match began
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui import safe_io
from rltui.events.match_frames import CarMoment, Moment, Vector
from rltui.sim.field import BALL_MAX_SPEED, TICKS_PER_SECOND
from rltui.sim.recorded_states import NEEDED, OPTIONAL, checked, refused

BODY = ("position", "velocity", "angular_velocity", "forward", "up")
CAR_FLAGS = ("on_ground", "demolished", "flip_used", "body_down")
BALL = ("ball_position", "ball_velocity", "ball_angular_velocity")
WHOLE: Mapping[str, tuple[int | str, ...]] = {"tick": (), "score": (2,), "goal": (), "touches": ("C",)}
TRAIL_POINTS, TRAIL_SECONDS = 24, 1.2


class Recording:
    """What was recorded, moment after moment."""

    def __init__(self, path: Path) -> None:
        """RltuiError names file, key, what was expected and what was found."""
        arrays = _read(path)
        self.blue, self.orange, self._arrays = checked(path, arrays)
        self._arrays |= _rest(path, arrays, (len(self._arrays["boost"]), self.blue + self.orange))
        names = [str(name) for name in arrays["names"].tolist()]
        self.names = (names[0], names[1])

    def __len__(self) -> int:
        return len(self._arrays["tick"])

    @property
    def seconds(self) -> float:
        """From the first moment to the last."""
        return float(self._arrays["tick"][-1] - self._arrays["tick"][0]) / TICKS_PER_SECOND

    def moments(self, least_ticks: float = 0, seconds: float | None = None) -> Iterator[Moment]:
        """In order, so many seconds of them; those closer than `least_ticks` to the one before are passed over."""
        ticks: list[int] = self._arrays["tick"].tolist()
        end = ticks[-1] if seconds is None else ticks[0] + seconds * TICKS_PER_SECOND
        shown = ticks[0] - least_ticks
        for index, tick in enumerate(ticks):
            if tick > end:
                return
            if tick - shown >= least_ticks or tick == end:
                shown = tick
                yield self._moment(index)

    def _moment(self, index: int) -> Moment:
        at = {name: values[index].tolist() for name, values in self._arrays.items()}
        return Moment(
            tick=at["tick"],
            names=self.names,
            score=tuple(at["score"]),
            goal=at["goal"],
            pad_timers=tuple(at.get("pad_timers", ())),
            trail=self._trail(index),
            cars=tuple(self._car(at, car) for car in range(self.blue + self.orange)),
            **{name: tuple(at[name]) for name in BALL},
        )

    def _car(self, at: Mapping[str, Any], car: int) -> CarMoment:
        forward, _, up = zip(*at["rotation"][car], strict=True)
        flags = {name: bool(at[name][car]) if name in at else False for name in CAR_FLAGS}
        return CarMoment(
            team=int(car >= self.blue),
            position=tuple(at["position"][car]),
            velocity=tuple(at["velocity"][car]),
            angular_velocity=tuple(at["angular_velocity"][car]),
            forward=forward,
            up=up,
            boost=at["boost"][car],
            controls=tuple(at["controls"][car]),
            touches=at["touches"][car],
            **flags,
        )

    def _trail(self, index: int) -> tuple[Vector, ...]:
        """Of the last second or so, back to the newest jump of the ball: a kickoff."""
        ticks = self._arrays["tick"]
        first = int(np.searchsorted(ticks, ticks[index] - TRAIL_SECONDS * TICKS_PER_SECOND))
        places = self._arrays["ball_position"][first:index]
        moved = np.linalg.norm(np.diff(self._arrays["ball_position"][first : index + 1], axis=0), axis=1)
        limit = BALL_MAX_SPEED * np.diff(ticks[first : index + 1]) / TICKS_PER_SECOND + 1
        jumps = np.flatnonzero(moved > limit * 1.01)
        places = places[jumps[-1] + 1 :] if len(jumps) else places
        stride = max(1, len(places) // TRAIL_POINTS)
        return tuple((x, y, z) for x, y, z in places[::-stride][::-1].tolist())


def _read(path: Path) -> dict[str, NDArray[Any]]:
    names = ("blue", "orange", *NEEDED, *OPTIONAL, "names", "controls", *WHOLE)
    try:
        with safe_io.open_to_read(path) as raw:
            file = np.load(raw, allow_pickle=False)
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("a single array")
            return {name: file[name] for name in names if name in file.files}
    except FileNotFoundError:
        raise refused(path, "no such file") from None
    except OSError as error:
        raise refused(path, f"cannot be read: {safe_io.reason(error)}") from error
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        raise refused(path, f"expected plain arrays in an .npz file, found something else ({error})") from error


def _rest(path: Path, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
    """What a recording has beside recorded states."""
    moments, cars = shape
    kinds = {"controls": ("f", (moments, cars, 8)), "names": ("U", (2,))}
    kinds |= {
        name: ("i", (moments, *(cars if size == "C" else int(size) for size in sizes))) for name, sizes in WHOLE.items()
    }
    for name, (kind, expected) in kinds.items():
        found = arrays.get(name)
        if found is None:
            raise refused(path, f"expected also {name}, which a recording to be watched has, found it nowhere")
        if found.shape != expected or found.dtype.kind != kind:
            words = {"f": "numbers", "i": "whole numbers", "U": "text"}[kind]
            raise refused(path, f"{name}: expected {words} {list(expected)}, found {found.dtype} {list(found.shape)}")
    if (np.diff(arrays["tick"]) <= 0).any():
        raise refused(path, "tick: expected ascending numbers, found some that are not")
    if not np.isfinite(arrays["controls"]).all():
        raise refused(path, "controls: expected finite numbers, found others")
    return {name: arrays[name] for name in ("controls", *WHOLE)}
