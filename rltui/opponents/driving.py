"""Driving: controls that bring a car to a place, through a dodge, and back onto its wheels. Rows of one table."""

from __future__ import annotations

from itertools import product

import numpy as np

from rltui.opponents.own_view import OwnView, Plane, dot, unit
from rltui.sim.state import Bool, Float, Int

STEERS, LEVELS, DIRECTIONS = 17, 5, 24  # of steer; of pitch, yaw and roll in the air; of dodges
BRAKE, COAST, EASE, DRIVE, BOOST, SLIDE = range(6)  # ways of driving, each with every steer
WAYS = ((-1.0, 0, 0), (0.0, 0, 0), (0.5, 0, 0), (1.0, 0, 0), (1.0, 1, 0), (1.0, 0, 1))  # throttle, boost, handbrake
AIR = len(WAYS) * STEERS  # the first row for the air, of the dodges, of the jump
DODGE = AIR + LEVELS**3
JUMP = DODGE + DIRECTIONS

STEER_GAIN, YAW_DAMPING = 3.5, 0.15  # per rad off the nose; per rad/s that it turns already
TURN_SPEEDS = np.array([0, 500, 1000, 1500, 1750, 2300], np.float32)  # uu/s
TURN_RADII = np.array([145, 251, 425, 727, 909, 1136], np.float32)  # uu, without handbrake
LEAST_SPEED = 600.0  # uu/s: to drive slower makes no turn tighter in time
SLIDING, SLIDING_SPEED = 1.4, 400.0  # rad off the nose, uu/s: from here on the handbrake turns faster
BOOSTING, BOOST_GAIN = 0.35, 200.0  # rad off the nose; uu/s that are missing
TOP_SPEED = 2250.0  # boost gains nothing above
STRAIGHT, BACKWARDS = np.float32(1), np.float32(4)  # factor of the turn of a nose, and of one that looks backwards
# of pitch, yaw and roll: per rad that is missing about right, up, forward
AIR_GAINS = np.array([-3.0, 3.0, -2.0], np.float32)
AIR_DAMPINGS = np.array([-0.5, 0.5, -0.3], np.float32)  # per rad/s that it turns already
AIR_STEPS = np.array([LEVELS**2, LEVELS, 1])  # rows from one level to the next
HEADING_SPEED = 400.0  # uu/s: a car in the air this fast lands with its nose along its way


def rows() -> Float:
    """float32 [M, 8] in the order of CONTROLS."""
    levels = np.linspace(-1, 1, LEVELS)
    turns = 2 * np.pi / DIRECTIONS * np.arange(DIRECTIONS)
    return np.array(
        [
            *(
                (throttle, steer, 0, 0, 0, 0, *more)
                for (throttle, *more), steer in product(WAYS, np.linspace(-1, 1, STEERS))
            ),
            *((1, 0, *axes, 0, 0, 0) for axes in product(levels, repeat=3)),
            *((1, 0, -np.cos(turn), np.sin(turn), 0, 1, 0, 0) for turn in turns),
            (1, 0, 0, 0, 0, 1, 0, 0),
        ],
        np.float32,
    )


def drive(view: OwnView, angle: Float, distance: Float, speed: Float, tight: Bool) -> Int:
    """Rows toward what is `angle` off the nose and `distance` away, at `speed` uu/s; tight: slower where it lies inside
    the turning circle.
    """
    size = np.abs(angle)
    radius = distance / np.maximum(2 * np.abs(np.sin(angle)), 1e-3)  # of the circle from here through there
    turning = np.maximum(np.interp(radius, TURN_RADII, TURN_SPEEDS).astype(np.float32), LEAST_SPEED)
    speed = np.where(tight, np.minimum(speed, turning), speed)
    missing = speed - view.speed
    way = np.where(missing > 30, DRIVE, np.where(missing > -150, EASE, np.where(missing > -400, COAST, BRAKE)))
    boosting = (missing > BOOST_GAIN) & (size < BOOSTING) & (view.speed < TOP_SPEED) & (view.boost > 0)
    sliding = (size > SLIDING) & (view.speed > SLIDING_SPEED)
    way = np.where(boosting, BOOST, np.where(sliding, SLIDE, way))
    yaw_rate = dot(view.spin, view.up) + view.spin_z * view.up_z
    chosen: Int = way * STEERS + _nearest(STEER_GAIN * angle - YAW_DAMPING * yaw_rate, STEERS)
    return chosen


def dodge(angle: Float) -> Int:
    """Rows for the second press of the jump button, toward `angle` off the nose."""
    steps: Int = np.rint(angle * (DIRECTIONS / (2 * np.pi))).astype(np.int64)
    row: Int = DODGE + steps % DIRECTIONS
    return row


def level_out(view: OwnView, target: Plane, neutral: Bool) -> Int:
    """Rows that turn a car in the air wheels down, nose along its way, or to the target when slow; neutral: let it turn."""
    fast = np.abs(view.velocity) > HEADING_SPEED
    nose = unit(np.where(fast, view.velocity, target - view.place))
    # the turn that is missing: forward × nose + up × vertical, the former raised where it is small for looking backwards
    raised = np.where(dot(view.forward, nose) < 0, BACKWARDS, STRAIGHT)
    turn: Plane = 1j * (raised * view.forward_z * nose - view.up)
    turn_z: Float = raised * (np.conj(view.forward) * nose).imag

    axes = np.stack((view.right, view.up, view.forward), axis=-1)
    axes_z = np.stack((view.right_z, view.up_z, view.forward_z), axis=-1)
    wanted = dot(turn[..., None], axes) + turn_z[..., None] * axes_z
    turning = dot(view.spin[..., None], axes) + view.spin_z[..., None] * axes_z
    values = np.where(neutral[..., None], 0, AIR_GAINS * wanted - AIR_DAMPINGS * turning)
    row: Int = AIR + _nearest(values, LEVELS) @ AIR_STEPS
    return row


def _nearest(values: Float, levels: int) -> Int:
    """Of so many levels from −1 to 1, the one nearest to each."""
    limited = np.minimum(np.maximum(values, -1), 1)
    chosen: Int = np.rint((limited + 1) * ((levels - 1) / 2)).astype(np.int64)
    return chosen
