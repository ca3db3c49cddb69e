"""Recording of a match: an `.npz` file to be watched again or to begin episodes with (the reset `replay`).

It holds what rltui/sim/recorded_states.py lists, moment after moment, and beside it

    names                  [2] text, who played blue and orange
    tick                   [N] whole numbers, ascending: 1/120 s since the match began
    score                  [N, 2] whole numbers
    goal                   [N] +1 blue has just scored, −1 orange, 0 neither
    controls               [N, C, 8] being played
    touches                [N, C] whole numbers, of the ball since the match began
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.errors import RltuiError
from rltui.events.match_frames import CarFrame, MatchFrame, Vector
from rltui.field import BALL_MAX_SPEED, TICKS_PER_SECOND
from rltui.runs.atomic import replace_file
from rltui.sim.recorded_states import NEEDED, OPTIONAL, checked, read_arrays, refused
from rltui.view.output import Notice, Output

BODY = ("position", "velocity", "angular_velocity", "forward", "up")
CAR_FLAGS = ("on_ground", "demolished", "flip_used", "body_down")
BALL = ("ball_position", "ball_velocity", "ball_angular_velocity")
WHOLE: Mapping[str, tuple[int | str, ...]] = {"tick": (), "score": (2,), "goal": (), "touches": ("C",)}
TRAIL_POINTS, TRAIL_SECONDS = 24, 1.2
MOST_MOMENTS = 216_000  # an hour at 60 a second, 100 MB in memory for 1v1


class Recording:
    """What was recorded, moment after moment."""

    def __init__(self, path: Path) -> None:
        """RltuiError names file, key, what was expected and what was found."""
        arrays = read_arrays(path, ("blue", "orange", *NEEDED, *OPTIONAL, "names", "controls", *WHOLE))
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

    def moments(self, least_ticks: float = 0, seconds: float | None = None) -> Iterator[MatchFrame]:
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

    def _moment(self, index: int) -> MatchFrame:
        at = {name: values[index].tolist() for name, values in self._arrays.items()}
        return MatchFrame(
            tick=at["tick"],
            names=self.names,
            score=tuple(at["score"]),
            goal=at["goal"],
            pad_timers=tuple(at.get("pad_timers", ())),
            trail=self._trail(index),
            cars=tuple(self._car(at, car) for car in range(self.blue + self.orange)),
            **{name: tuple(at[name]) for name in BALL},
        )

    def _car(self, at: Mapping[str, Any], car: int) -> CarFrame:
        forward, _, up = zip(*at["rotation"][car], strict=True)
        flags = {name: bool(at[name][car]) if name in at else False for name in CAR_FLAGS}
        return CarFrame(
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
            raise refused(path, f"expected {name}, found none")
        if found.shape != expected or found.dtype.kind != kind:
            words = {"f": "numbers", "i": "whole numbers", "U": "text"}[kind]
            raise refused(path, f"{name}: expected {words} {list(expected)}, found {found.dtype} {list(found.shape)}")
    if (np.diff(arrays["tick"]) <= 0).any():
        raise refused(path, "tick: expected ascending numbers, found some that are not")
    if not np.isfinite(arrays["controls"]).all():
        raise refused(path, "controls: expected finite numbers, found others")
    return {name: arrays[name] for name in ("controls", *WHOLE)}


class Recorder(Output):
    """Keeps moments as plain numbers until `close` writes the file, whole or not at all."""

    def __init__(self, path: Path, notice: Notice = lambda text: None, most: int = MOST_MOMENTS) -> None:
        """RltuiError where no such file can be written, before anything is played."""
        _check_target(path)
        self._path, self._notice, self._most = path, notice, most
        self._names, self._teams = ("", ""), (0, 0)
        self._floats: dict[str, array[float]] = {name: array("f") for name in (*BALL, *BODY, "boost", "controls")}
        self._floats["pad_timers"] = array("f")
        self._flags: dict[str, bytearray] = {name: bytearray() for name in CAR_FLAGS}
        self._whole: dict[str, array[int]] = {name: array("q") for name in WHOLE}
        self._full_noticed = False

    @property
    def moments(self) -> int:
        """How many it holds."""
        return len(self._whole["tick"])

    def show(self, moment: MatchFrame) -> None:
        if self.moments >= self._most:
            if not self._full_noticed:
                self._full_noticed = True
                self._notice(f"the recording is full after {self._most:,} moments; what it holds will be saved")
            return
        self._names = moment.names
        self._teams = (sum(car.team == 0 for car in moment.cars), sum(car.team == 1 for car in moment.cars))
        for name in (*BALL, "pad_timers"):
            self._floats[name].extend(getattr(moment, name))
        for name in (*BODY, "controls"):
            self._floats[name].extend(chain.from_iterable(getattr(car, name) for car in moment.cars))
        self._floats["boost"].extend(car.boost for car in moment.cars)
        for name in CAR_FLAGS:
            self._flags[name].extend(getattr(car, name) for car in moment.cars)
        self._whole["tick"].append(moment.tick)
        self._whole["goal"].append(moment.goal)
        self._whole["score"].extend(moment.score)
        self._whole["touches"].extend(car.touches for car in moment.cars)

    def close(self) -> None:
        """Write. RltuiError where that fails; nothing is written when nothing was shown."""
        if not self.moments:
            return
        content = io.BytesIO()
        np.savez_compressed(content, **self._arrays())
        try:
            replace_file(self._path, content.getvalue())
        except OSError as error:
            raise RltuiError(f"cannot write {self._path}: {error.strerror or error}") from error

    def _arrays(self) -> dict[str, NDArray[Any]]:
        shape = (self.moments, sum(self._teams))
        floats = {name: np.frombuffer(values, np.float32) for name, values in self._floats.items()}
        made: dict[str, NDArray[Any]] = {name: floats[name].reshape(*shape, 3) for name in BODY}
        forward, up = made.pop("forward"), made.pop("up")
        made["rotation"] = np.stack([forward, np.cross(up, forward), up], axis=3)
        made |= {name: floats[name].reshape(self.moments, -1) for name in (*BALL, "pad_timers")}
        made["boost"], made["controls"] = floats["boost"].reshape(shape), floats["controls"].reshape(*shape, 8)
        made |= {name: np.frombuffer(flags, np.bool_).reshape(shape) for name, flags in self._flags.items()}
        whole = {name: np.frombuffer(values, np.int64) for name, values in self._whole.items()}
        made |= {"tick": whole["tick"], "goal": whole["goal"]}
        made |= {name: whole[name].reshape(self.moments, -1) for name in ("score", "touches")}
        made |= {"blue": np.array(self._teams[0]), "orange": np.array(self._teams[1]), "names": np.array(self._names)}
        return made


def _check_target(path: Path) -> None:
    problem = ""
    if path.suffix != ".npz":
        problem = "a recording's name ends with .npz"
    elif path.is_dir():
        problem = "that is a folder"
    elif not path.absolute().parent.is_dir():
        problem = f"there is no folder {path.parent}"
    if problem:
        raise RltuiError(f"cannot record to {path}: {problem}", "name another: --record FILE.npz", exit_code=2)
