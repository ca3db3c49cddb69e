"""First states of a reset in words, and what is impossible about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui import field
from rltui.env.turtle import Contact
from rltui.sim.state import UPSIDE_DOWN, ArenaSetup, GameState, turtled

SHOWN = 4  # arenas that are spelled out
LENIENT = 1.001
CAR_LIMITS = (field.CAR_MAX_SPEED, field.CAR_MAX_SPIN, 0.0)  # uu/s, rad/s, uu of distance to every wall
BALL_LIMITS = (field.BALL_MAX_SPEED, field.BALL_MAX_SPIN, field.BALL_RADIUS - 1.0)

Vector = NDArray[np.float32]


def first_state_lines(state: GameState, arenas: Sequence[int] | None = None) -> Iterator[str]:
    """Of each arena (default: the first four): on ground, up.z, turtled, distances, speeds; IMPOSSIBLE with the reason."""
    for arena in _first_ones(state) if arenas is None else arenas:
        ball = state.ball_position[arena]
        wrong = _impossible(ball, state.ball_velocity[arena], state.ball_angular_velocity[arena], BALL_LIMITS)
        yield (
            f"arena {arena}: ball at {_vector(ball)}, speed {_length(state.ball_velocity[arena]):.0f} uu/s{_flag(wrong)}"
        )
        for car in range(state.cars):
            yield f"  car {car}: {_car(state, arena, car)}"


def probe_lines(state: GameState, contact: Contact, arenas: Sequence[int] | None = None) -> Iterator[str]:
    """The turtle probe of each arena (default: the first four): after the first step the simulator has worked out what
    every car touches.
    """
    for arena in _first_ones(state) if arenas is None else arenas:
        for car in range(state.cars):
            wheels, normal = contact(arena, car)
            up = float(state.up[arena, car, 2])
            body = f"touches a surface of normal z {normal[2]:+.2f}" if any(normal) else "touches nothing"
            yield (
                f"turtle probe, arena {arena} car {car}: {'a turtle' if is_turtle(state, contact, arena, car) else 'no turtle'} "
                f"({wheels} wheels down, up.z {up:+.2f}, the body {body})"
            )


def is_turtle(state: GameState, contact: Contact, arena: int, car: int) -> bool:
    """Whether this car lies on its roof, as the newest step has left it."""
    wheels, normal = contact(arena, car)
    return bool(turtled(wheels, state.up[arena, car, 2], normal[2]))


def _first_ones(state: GameState) -> range:
    return range(min(state.arenas, SHOWN))


def _car(state: GameState, arena: int, car: int) -> str:
    position, up = state.position[arena, car], float(state.up[arena, car, 2])
    velocity, spin = state.velocity[arena, car], state.angular_velocity[arena, car]
    to_ball = _length(position - state.ball_position[arena])
    wrong = _impossible(position, velocity, spin, CAR_LIMITS)
    if to_ball < field.BALL_RADIUS:
        wrong.append("inside the ball")
    others = [_length(position - state.position[arena, other]) for other in range(state.cars) if other != car]
    if others and min(others) < field.CAR_HALF_WIDTH:
        wrong.append("inside another car")
    return (
        f"at {_vector(position)}, up.z {up:+.2f}, on ground {bool(state.on_ground[arena, car])}, "
        f"turtled {bool(state.world_contact[arena, car] and up < UPSIDE_DOWN)}, "
        f"boost {state.boost[arena, car]:.0f}, {to_ball:.0f} uu from the ball, "
        f"speed {_length(velocity):.0f} uu/s{_flag(wrong)}"
    )


def impossible_bodies(setup: ArenaSetup) -> str:
    """What cannot be of a first state that is not in a game yet, in words, or ""."""
    found = _impossible(setup.ball_position, setup.ball_velocity, setup.ball_angular_velocity, BALL_LIMITS)
    words = [f"the ball is {word}" for word in found]
    for car, position in enumerate(setup.position):
        wrong = _impossible(position, setup.velocity[car], setup.angular_velocity[car], CAR_LIMITS)
        wrong += ["inside the ball"] if _length(position - setup.ball_position) < field.BALL_RADIUS else []
        others = [_length(position - other) for number, other in enumerate(setup.position) if number != car]
        wrong += ["inside another car"] if others and min(others) < field.CAR_HALF_WIDTH else []
        words += [f"car {car} is {word}" for word in wrong]
    return ", ".join(words)


def _impossible(position: Vector, velocity: Vector, spin: Vector, limits: tuple[float, float, float]) -> list[str]:
    """What cannot be, in words."""
    speed, turning, margin = limits
    x, y, z = abs(float(position[0])), abs(float(position[1])), float(position[2])
    in_goal = x < field.GOAL_POST_X and y > field.BACK_WALL_Y - margin
    checks: list[tuple[Any, str]] = [
        (x > field.SIDE_WALL_X - margin, "inside a side wall"),
        (y > (field.NET_Y if in_goal else field.BACK_WALL_Y) - margin, "inside a back wall"),
        (x + y > field.CORNER - margin * np.sqrt(2) and not in_goal, "inside a corner wall"),
        (z < margin, "inside the floor"),
        (z > field.CEILING_Z - margin, "inside the ceiling"),
        (_length(velocity) > speed * LENIENT, f"faster than {speed:.0f} uu/s"),
        (_length(spin) > turning * LENIENT, f"spinning faster than {turning:g} rad/s"),
    ]
    return [words for broken, words in checks if broken]


def _flag(wrong: list[str]) -> str:
    return f"  IMPOSSIBLE: {', '.join(wrong)}" if wrong else ""


def _length(vector: Vector) -> float:
    return float(np.linalg.norm(vector))


def _vector(values: Vector) -> str:
    return "(" + ", ".join(f"{value:.0f}" for value in values) + ")"
