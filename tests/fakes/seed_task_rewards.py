"""The reward classes of the benchmark task, written for RLGym v2: the judges of ours. One car at a time, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from rlgym.rocket_league import common_values as cv


def in_air(car: Any, state: Any) -> float:
    return 0.0 if car.on_ground else 1.0


def speed_toward_ball(car: Any, state: Any) -> float:
    speed = _along(car.physics.linear_velocity, car.physics.position, state.ball.position)
    return max(speed / cv.CAR_MAX_SPEED, 0.0)


def velocity_ball_to_goal(car: Any, state: Any) -> float:
    net = np.array([0.0, -cv.BACK_NET_Y if car.is_orange else cv.BACK_NET_Y, 0.0])
    return max(_along(state.ball.linear_velocity, state.ball.position, net) / cv.BALL_MAX_SPEED, 0.0)


def _along(velocity: Any, start: Any, end: Any) -> float:
    line = np.asarray(end, dtype=np.float64) - start
    return float(np.dot(velocity, line) / max(np.linalg.norm(line), 1e-9))
