"""RLViser: moments to the viewer of that name, where its Python package is installed (extra `rlviser`).

The package starts the program `rlviser` of the current folder and talks to it.
"""

from __future__ import annotations

import importlib
from typing import Any

import RocketSim

from rltui.errors import RltuiError
from rltui.events.match_frames import CarFrame, MatchFrame, Vector
from rltui.field import PAD_POSITIONS, TICKS_PER_SECOND
from rltui.view.output import Notice, Output

MODULE, COMMAND = "rlviser_py", "pip install rlviser-py==0.6.13"


class RlViser(Output):
    """One error of the package ends it, with a notice: the match goes on."""

    def __init__(self, rate: float = TICKS_PER_SECOND, notice: Notice = lambda text: None) -> None:
        """rate: moments a second. RltuiError where the package is not installed."""
        try:
            self._viser: Any = importlib.import_module(MODULE)
        except ImportError as error:
            raise RltuiError(f"--rlviser needs the package {MODULE}: {error}", COMMAND, exit_code=2) from error
        self._rate, self._notice, self._works = rate, notice, True
        self._config = RocketSim.CarConfig(RocketSim.CarConfig.OCTANE)
        self._call("set_boost_pad_locations", PAD_POSITIONS)

    def show(self, moment: MatchFrame) -> None:
        cars = [(number, car.team, self._config, car_state(car)) for number, car in enumerate(moment.cars, 1)]
        pads = [timer <= 0 for timer in moment.pad_timers]
        self._call("render", moment.tick, self._rate, RocketSim.GameMode.SOCCAR, pads, ball_state(moment), cars)

    def close(self) -> None:
        self._call("quit")

    def _call(self, name: str, *values: Any) -> None:
        if not self._works:
            return
        try:
            getattr(self._viser, name)(*values)
        except Exception as error:  # the package raises what it likes; a match does not end for its viewer
            self._works = False
            self._notice(f"RLViser: {error}")


def ball_state(moment: MatchFrame) -> Any:
    """RocketSim's."""
    state = RocketSim.BallState()
    state.pos, state.vel = RocketSim.Vec(*moment.ball_position), RocketSim.Vec(*moment.ball_velocity)
    state.ang_vel = RocketSim.Vec(*moment.ball_angular_velocity)
    return state


def car_state(car: CarFrame) -> Any:
    """RocketSim's, as far as it is drawn."""
    state = RocketSim.CarState()
    state.pos, state.vel = RocketSim.Vec(*car.position), RocketSim.Vec(*car.velocity)
    state.ang_vel = RocketSim.Vec(*car.angular_velocity)
    state.rot_mat = RocketSim.RotMat(*car.forward, *_cross(car.up, car.forward), *car.up)
    state.boost, state.is_on_ground, state.is_demoed = car.boost, car.on_ground, car.demolished
    state.has_flipped = car.flip_used
    return state


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
