"""`advanced_plus`: an observation in each car's own frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.errors import RltuiError
from rltui.obs.advanced_plus_features import AXES, Body, Context, FeatureGroup, Pads, Players, layout, mirror_sign
from rltui.obs.builder import CarMajor, ObsBuilder
from rltui.sim.state import Float, GameState, Int


class AdvancedPlusObs(ObsBuilder):
    """Numbers of about −1..1; vectors lie along the car's own forward, right and up axes. 151 with the defaults:

    0–5      the ball's position from the car, its velocity
    6–11     own velocity, own angular velocity
    12–14    the world's up; the last one is the car's up.z
    15–20    height, boost, has a flip, on ground, alive, kickoff (whose ball nobody has touched yet)
    21–28    the step before: throttle, steer, pitch, yaw, roll, jump, boost, handbrake
    29–30    can boost, can flip now
    31–90    12 for each of 2 allies, then of 3 opponents, those nearer to the ball first: position from the car, velocity,
             angular velocity, boost, alive, present; all zero where there is none
    91–138   6 for each of the 4 boost pads nearest to the car, then of the 4 nearest to the ball, nearest first: position
             from the car, big, active, seconds until active
    139–150  from the ball to the own goal and to the opponents', from the car to them

    With `match_context` two more: time left, score difference. `feature_names` has a name for each number.
    """

    @dataclass(frozen=True)
    class Params(ObsBuilder.Params):
        max_allies: int = field(default=2, metadata={"doc": "Places for allies.", "min": 0, "max": 2})
        max_opponents: int = field(default=3, metadata={"doc": "Places for opponents.", "min": 0, "max": 3})
        pads: int = field(
            default=4,
            metadata={"doc": "Boost pads nearest to the car, and as many nearest to the ball.", "min": 1, "max": 34},
        )
        match_context: bool = field(
            default=False,
            metadata={"doc": "Add time left and score difference. A goal ends an episode here, so most need neither."},
        )
        match_seconds: float = field(
            default=300.0, metadata={"doc": "Length of a match, for its time left.", "min": 1.0, "max": 3600.0}
        )

        def __post_init__(self) -> None:
            for name in ("max_allies", "max_opponents", "pads"):
                if isinstance(getattr(self, name), bool) or not isinstance(getattr(self, name), int):
                    raise ValueError(f"{name} must be a whole number, found {getattr(self, name)!r}")

    params: Params

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._layout = layout(params.max_allies, params.max_opponents, params.pads, params.match_context)
        self._factors = np.array([feature.factor for feature in self._layout], np.float32)
        self._sheets: dict[tuple[int, int, int], _Workspace] = {}

    def feature_names(self) -> list[str]:
        """What each number of a row is, as in `opponent0.position.forward`."""
        return [feature.name for feature in self._layout]

    def size(self, blue: int, orange: int) -> int:
        """The same for all team sizes. RltuiError where a team has more cars than there are places."""
        allies, opponents = max(blue, orange) - 1, max(blue, orange) if blue and orange else 0
        for name, places, needed in (
            ("max_allies", self.params.max_allies, allies),
            ("max_opponents", self.params.max_opponents, opponents),
        ):
            if needed > places:
                raise RltuiError(
                    f"advanced_plus has {name} = {places}, but {blue}v{orange} needs {needed}",
                    f"set {name} = {needed} in [obs], or lower game.blue and game.orange",
                    exit_code=2,
                )
        return len(self._layout)

    def build(self, state: GameState, out: Float) -> None:
        key = (state.blue, state.orange, state.arenas)
        sheet = self._sheets.get(key)
        if sheet is None:
            self.size(state.blue, state.orange)
            sheet = self._sheets[key] = _Workspace(self._parts(state), state, self.feature_names())
        np.multiply(sheet.read(state).transpose(2, 1, 0), self._factors, out=out)

    def _parts(self, state: GameState) -> list[FeatureGroup]:
        parts: list[FeatureGroup] = [Body(state), Players(state), Pads(state, self.params.pads)]
        return [*parts, Context(state, self.params.match_seconds)] if self.params.match_context else parts

    def mirror(self, blue: int, orange: int) -> tuple[Int, Float]:
        """Of pads that are equally near, as around the ball at a kickoff, the image has the other one first."""
        sign = np.array([mirror_sign(feature.name) for feature in self._layout], np.float32)
        return np.arange(len(sign)), sign


class _Workspace:
    """All parts' numbers of K arenas with C cars, and where each feature finds its own."""

    def __init__(self, parts: list[FeatureGroup], state: GameState, features: list[str]) -> None:
        vectors, flags = ([name for part in parts for name in getattr(part, kind)] for kind in ("vectors", "flags"))
        shape, count = (state.cars, state.arenas), len(vectors)
        names = [*(f"{vector}.{axis}" for axis in AXES for vector in vectors), *flags]
        rows = {name: row for row, name in enumerate(names)}
        self._index = np.array([rows.get(name, len(names)) for name in features])  # empty places: the row of zeros
        self._cars = CarMajor(state.arenas, state.cars)
        self._vectors: Float = np.zeros((3, count, *shape), np.float32)  # in the world
        self._scratch: Float = np.zeros_like(self._vectors)
        self._numbers: Float = np.zeros((len(names) + 1, *shape), np.float32)
        self._framed = self._numbers[: 3 * count].reshape(3, count, *shape)
        self._ordered: Float = np.zeros((len(features), *shape), np.float32)
        self._parts: list[tuple[FeatureGroup, Float, Float]] = []
        vector, flag = 0, 3 * count
        for part in parts:
            ends = vector + len(part.vectors), flag + len(part.flags)
            self._parts.append((part, self._vectors[:, vector : ends[0]], self._numbers[flag : ends[1]]))
            vector, flag = ends

    def read(self, state: GameState) -> Float:
        """All features [size, C, K] in the game's units, overwritten by the next call."""
        self._cars.read(state)
        for part, vectors, flags in self._parts:
            part.write(state, self._cars, vectors, flags)
        self._cars.turn(self._vectors, self._framed, self._scratch)
        return self._numbers.take(self._index, axis=0, out=self._ordered, mode="clip")
