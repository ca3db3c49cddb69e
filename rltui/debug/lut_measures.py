"""What a car did between two moments, in its own terms: numbers that are positive where the car did the thing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rltui.debug.lut_stage import Moment, Played
from rltui.sim.state import Bool, Float

Measure = Callable[[Played], Float]  # [N] of the rows played

UPRIGHT = 0.6  # up.z of a car back on its wheels


def gain(played: Played) -> Float:
    """uu/s won along the nose that it began with."""
    first, last = played[0], played[-1]
    return _along(last.velocity - first.velocity, first.forward)


def heading(played: Played) -> Float:
    """Degrees that the nose turned to the right."""
    first, last = played[0], played[-1]
    ahead, right = _along(last.forward, first.forward), _along(last.forward, _right(first))
    degrees: Float = np.degrees(np.arctan2(right, ahead)) * ~jumped(played)
    return degrees


def sideways(played: Played) -> Float:
    """uu/s won to the right."""
    first, last = played[0], played[-1]
    return _along(last.velocity - first.velocity, _right(first))


def climb(played: Played) -> Float:
    """uu/s won upward."""
    won: Float = played[-1].velocity[:, 2] - played[0].velocity[:, 2]
    return won


def pitch(played: Played) -> Float:
    """rad/s that the nose rises with at the end, of cars that did not jump."""
    return -_along(played[-1].spin, _right(played[-1])) * ~jumped(played)


def yaw(played: Played) -> Float:
    """rad/s to the right."""
    return _along(played[-1].spin, played[-1].up) * ~jumped(played)


def roll(played: Played) -> Float:
    """rad/s to the right."""
    return -_along(played[-1].spin, played[-1].forward) * ~jumped(played)


def boost_used(played: Played) -> Float:
    """0–100."""
    used: Float = played[0].boost - played[-1].boost
    return used


def handbrake(played: Played) -> Float:
    """0–1."""
    return played[-1].handbrake


def jumped(played: Played) -> Bool:
    """Whether the car jumped, jumped again or flipped since the beginning."""
    first = played[0]
    new = [
        (moment.has_jumped & ~first.has_jumped)
        | (moment.has_flipped & ~first.has_flipped)
        | (moment.has_double_jumped & ~first.has_double_jumped)
        for moment in played
    ]
    found: Bool = np.any(new, axis=0)
    return found


def flipped(played: Played) -> Bool:
    """Whether the car flipped."""
    return played[-1].has_flipped & ~played[0].has_flipped


def steps_to_wheels(played: Played) -> Float:
    """Steps until the car stands on its wheels; infinite where it never does."""
    upright = np.array([moment.on_ground & (moment.up[:, 2] > UPRIGHT) for moment in played])
    steps: Float = np.where(upright.any(axis=0), upright.argmax(axis=0), np.inf)
    return steps


def _right(moment: Moment) -> Float:
    right: Float = np.cross(moment.up, moment.forward)
    return right


def _along(vectors: Float, directions: Float) -> Float:
    dots: Float = np.einsum("ij,ij->i", vectors, directions)
    return dots
