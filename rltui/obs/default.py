"""`default`: RLGym v2's DefaultObs, number for number.

One row: ball (position, velocity, angular velocity: 9), seconds until each pad is back (34), what only the car itself
knows (9), then 20 numbers each for the car, its allies and its opponents. Orange sees all of it turned by 180°.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, pi
from typing import Any

import numpy as np

from rltui.field import MIRROR_PADS, MIRROR_SPIN, MIRROR_VECTOR
from rltui.obs.builder import ObsBuilder
from rltui.sim.state import Float, GameState, Int

BALL = 9
PADS = 34
OWN = 9
CAR = 20
TURN = (-1.0, -1.0, 1.0)  # what a half turn of the field does to x, y, z

Factor = float | Sequence[float]


class DefaultObs(ObsBuilder):
    """52 numbers and 20 for each car place, of which unused ones are zero; scale factors and defaults are RLGym's."""

    @dataclass(frozen=True)
    class Params(ObsBuilder.Params):
        zero_padding: int | None = field(
            default=3,
            metadata={"doc": "Car places of each team at least; 0: only the cars there are.", "min": 0, "max": 8},
        )
        pos_coef: Factor = field(default=1 / 2300, metadata={"doc": "Factor of positions, or [x, y, z]."})
        ang_coef: Factor = field(default=1 / pi, metadata={"doc": "RLGym has it, and no use for it either."})
        lin_vel_coef: Factor = field(default=1 / 2300, metadata={"doc": "Factor of velocities, or [x, y, z]."})
        ang_vel_coef: Factor = field(default=1 / pi, metadata={"doc": "Factor of angular velocities, or [x, y, z]."})
        pad_timer_coef: float = field(default=1 / 10, metadata={"doc": "Factor of the pads' seconds."})
        boost_coef: float = field(default=1 / 100, metadata={"doc": "Factor of boost, 0–100."})

        def __post_init__(self) -> None:
            padding = self.zero_padding
            if padding is not None and (isinstance(padding, bool) or not isinstance(padding, int)):
                raise ValueError(f"zero_padding must be a whole number, found {padding!r}")
            for name in ("pos_coef", "ang_coef", "lin_vel_coef", "ang_vel_coef"):
                _check_factor(name, getattr(self, name), (1, 3))
            for name in ("pad_timer_coef", "boost_coef"):
                _check_factor(name, getattr(self, name), (1,))

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._padding = params.zero_padding or 0
        self._position, self._velocity, self._spin, self._pad_timer, self._boost = (
            np.asarray(factor, dtype=np.float32)
            for factor in (
                params.pos_coef,
                params.lin_vel_coef,
                params.ang_vel_coef,
                params.pad_timer_coef,
                params.boost_coef,
            )
        )
        self._sheets: dict[tuple[int, int, int], _BothViews] = {}

    def size(self, blue: int, orange: int) -> int:
        """RLGym's rows too grow beyond the padding when a team has more cars."""
        return BALL + PADS + OWN + CAR * (max(blue, self._padding) + max(orange, self._padding))

    def build(self, state: GameState, out: Float) -> None:
        key = (state.blue, state.orange, state.arenas)
        sheet = self._sheets.get(key)
        if sheet is None:
            sheet = self._sheets[key] = _BothViews(*key, self._padding)
        self._write_bodies(state, sheet)
        _write_flags(state, sheet)
        np.multiply(sheet.bodies[0], sheet.turn, out=sheet.bodies[1])
        np.multiply(state.pad_timers, self._pad_timer, out=sheet.pads[0])
        sheet.pads[1][...] = sheet.pads[0][:, ::-1]
        sheet.numbers.take(sheet.index, 1, out, "clip")  # clip: no bounds to check, so `out` is written directly

    def mirror(self, blue: int, orange: int) -> tuple[Int, Float]:
        places = max(blue, self._padding) + max(orange, self._padding)
        car = (*MIRROR_VECTOR * 4, *MIRROR_SPIN, *(1.0,) * 5)  # position, forward, up, velocity; spin; flags
        sign = np.array([*MIRROR_VECTOR * 2, *MIRROR_SPIN, *(1.0,) * (PADS + OWN), *car * places], np.float32)
        index = np.arange(len(sign))
        index[BALL : BALL + PADS] = np.array(MIRROR_PADS) + BALL
        return index, sign

    def _write_bodies(self, state: GameState, sheet: _BothViews) -> None:
        ball, car = sheet.ball, sheet.car
        np.multiply(state.ball_position, self._position, out=ball[..., 0:3])
        np.multiply(state.ball_velocity, self._velocity, out=ball[..., 3:6])
        np.multiply(state.ball_angular_velocity, self._spin, out=ball[..., 6:9])
        np.multiply(state.position, self._position, out=car[..., 0:3])
        car[..., 3:6] = state.forward
        car[..., 6:9] = state.up
        np.multiply(state.velocity, self._velocity, out=car[..., 9:12])
        np.multiply(state.angular_velocity, self._spin, out=car[..., 12:15])
        np.multiply(state.boost, self._boost, out=car[..., 15])


def _write_flags(state: GameState, sheet: _BothViews) -> None:
    car, own = sheet.car, sheet.own
    car[..., 16] = state.demo_respawn_timer
    car[..., 17] = state.on_ground
    car[..., 18] = state.is_boosting
    car[..., 19] = state.is_supersonic
    own[..., 0] = state.is_holding_jump
    own[..., 1] = state.handbrake
    own[..., 2] = state.has_jumped
    own[..., 3] = state.is_jumping
    own[..., 4] = state.has_flipped
    own[..., 5] = state.is_flipping
    own[..., 6] = state.has_double_jumped
    own[..., 7] = state.can_flip
    own[..., 8] = state.air_time_since_jump


class _BothViews:
    """Every number of K arenas once as blue and once as orange sees it, and where each car's row finds its own.

    numbers float32 [K, N]: blue's view, orange's view (each: ball, C cars, pads), each car's own nine, one zero.
    The other arrays are views of it: ball [K, 9] and car [K, C, 20] of blue's view, own [K, C, 9]; bodies (ball and
    cars) and pads are pairs, one for each view. index [C, size] points into a row of numbers.
    """

    def __init__(self, blue: int, orange: int, arenas: int, padding: int) -> None:
        cars = blue + orange
        bodies = BALL + CAR * cars
        view = bodies + PADS
        self.numbers: Float = np.zeros((arenas, 2 * view + OWN * cars + 1), dtype=np.float32)
        views = [self.numbers[:, :view], self.numbers[:, view : 2 * view]]
        self.bodies = [view[:, :bodies] for view in views]
        self.pads = [view[:, bodies:] for view in views]
        self.ball = self.bodies[0][:, :BALL]
        self.car = self.bodies[0][:, BALL:].reshape(arenas, cars, CAR)
        self.own = self.numbers[:, 2 * view : -1].reshape(arenas, cars, OWN)
        car_turn = np.array(TURN * 5 + (1.0,) * 5, dtype=np.float32)
        self.turn: Float = np.concatenate([np.array(TURN * 3, dtype=np.float32), np.tile(car_turn, cars)])
        self.index = np.array([_row(car, blue, orange, padding) for car in range(cars)], dtype=np.intp)


def _row(car: int, blue: int, orange: int, padding: int) -> list[int]:
    """Where in `_Sheet.numbers` a car's row lies: allies and opponents in car order, then zeros up to the padding."""
    cars = blue + orange
    view = BALL + CAR * cars + PADS
    teams = [range(blue), range(blue, cars)]
    orange_view = car >= blue
    start = view if orange_view else 0
    opponents = teams[not orange_view]
    allies = [other for other in teams[orange_view] if other != car]
    zero = 2 * view + OWN * cars

    def place(group: Sequence[int], places: int) -> list[int]:
        numbers = [start + BALL + CAR * other + i for other in group for i in range(CAR)]
        return numbers + [zero] * (CAR * max(places - len(group), 0))

    row = [*range(start, start + BALL), *range(start + view - PADS, start + view)]
    row += range(2 * view + OWN * car, 2 * view + OWN * (car + 1))
    return row + place([car], 1) + place(allies, padding - 1) + place(opponents, padding)


def _check_factor(name: str, value: Any, lengths: Sequence[int]) -> None:
    """ValueError when a factor is not a finite number or, where three are allowed, a list of three."""
    numbers = list(value) if isinstance(value, list | tuple) else [value]
    good = all(isinstance(n, int | float) and not isinstance(n, bool) and isfinite(n) for n in numbers)
    if not good or len(numbers) not in lengths:
        allowed = "a number" if lengths == (1,) else "a number or a list of three"
        raise ValueError(f"{name} must be {allowed}, found {value!r}")
