"""Recorder: keeps a match and writes it as an `.npz` file (view.recording says what it holds)."""

from __future__ import annotations

import io
from array import array
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.errors import RltuiError
from rltui.events.match_frames import Moment
from rltui.runs.atomic import replace_file
from rltui.view.output import Notice, Output
from rltui.view.recording import BALL, BODY, CAR_FLAGS, WHOLE

MOST_MOMENTS = 216_000  # an hour at 60 a second, 100 MB in memory for 1v1


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
        self._told = False

    @property
    def moments(self) -> int:
        """How many it holds."""
        return len(self._whole["tick"])

    def show(self, moment: Moment) -> None:
        if self.moments >= self._most:
            if not self._told:
                self._told = True
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
