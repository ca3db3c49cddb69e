"""What stands where in a row of `advanced_plus`: names and factors, in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rltui.sim.controls import CONTROLS

AXES = ("forward", "right", "up")  # of the car's frame
BODY_VECTORS = ("ball.position", "ball.velocity", "velocity", "spin")
GOAL_VECTORS = ("ball.own_goal", "ball.opponent_goal", "own_goal", "opponent_goal")
OWN = ("height", "boost", "has_flip", "on_ground", "alive", "kickoff")
PREVIOUS = tuple(f"previous_{control}" for control in CONTROLS)
CAN = ("can_boost", "can_flip")
PLAYER_VECTORS = ("position", "velocity", "spin")
PLAYER_FLAGS = ("boost", "alive", "present")
PAD_FLAGS = ("big", "active", "respawn")
CONTEXT = ("time_left", "score_difference")

FACTORS = {
    "position": 1 / 5120,  # the back wall's distance from the centre
    "own_goal": 1 / 5120,
    "opponent_goal": 1 / 5120,
    "velocity": 1 / 2300,  # a car's greatest speed; balls are rarely faster
    "spin": 1 / 5.5,  # a car's greatest
    "height": 1 / 2044,  # the ceiling
    "boost": 1 / 100,
    "respawn": 1 / 10,  # seconds of a big pad
}


class Feature(NamedTuple):
    """One number of a row."""

    name: str  # thing.quantity.axis, without what does not apply
    factor: float  # of the game's own unit


def layout(allies: int, opponents: int, pads: int, context: bool) -> list[Feature]:
    """The row for so many places of allies and of opponents, and so many pads near the car and near the ball."""
    names = [*vectors(BODY_VECTORS), *vectors(["world_up"]), *OWN, *PREVIOUS, *CAN]
    for player in players(allies, opponents):
        names += vectors(f"{player}.{vector}" for vector in PLAYER_VECTORS)
        names += [f"{player}.{flag}" for flag in PLAYER_FLAGS]
    for pad in near_pads(pads):
        names += vectors([f"{pad}.position"])
        names += [f"{pad}.{flag}" for flag in PAD_FLAGS]
    names += vectors(GOAL_VECTORS)
    names += CONTEXT if context else ()
    return [Feature(name, _factor(name)) for name in names]


def players(allies: int, opponents: int) -> list[str]:
    """Names of the places."""
    return [*(f"ally{i}" for i in range(allies)), *(f"opponent{i}" for i in range(opponents))]


def near_pads(pads: int) -> list[str]:
    """Names of the pads near the car, then of those near the ball."""
    return [f"{pad}{i}" for pad in ("pad", "ball_pad") for i in range(pads)]


def vectors(names: Iterable[str]) -> list[str]:
    """Each vector's three numbers."""
    return [f"{name}.{axis}" for name in names for axis in AXES]


def _factor(name: str) -> float:
    quantity = next(part for part in reversed(name.split(".")) if part not in AXES)
    return FACTORS.get(quantity, 1.0)
