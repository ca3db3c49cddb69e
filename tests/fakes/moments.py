"""Moments of a match by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from rltui.events.match_frames import CarFrame, MatchFrame, Vector
from rltui.sim.frames import MatchStanding, moment_of
from tests.fakes.game_states import random_state


def car(team: int, place: Vector, **changes: Any) -> CarFrame:
    """On its wheels, looking at the other goal."""
    values: dict[str, Any] = {
        "team": team,
        "position": place,
        "velocity": (0.0, 0.0, 0.0),
        "angular_velocity": (0.0, 0.0, 0.0),
        "forward": (0.0, -1.0 if team else 1.0, 0.0),
        "up": (0.0, 0.0, 1.0),
        "boost": 33.3,
        "on_ground": True,
        "demolished": False,
        "flip_used": False,
        "body_down": False,
        "controls": (1.0, -0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
        "touches": 0,
    }
    return CarFrame(**values | changes)


def moment(**changes: Any) -> MatchFrame:
    """Kickoff of 1v1 after 65 s."""
    values: dict[str, Any] = {
        "tick": 65 * 120,
        "names": ("alpha", "chaser"),
        "score": (2, 1),
        "goal": 0,
        "ball_position": (0.0, 0.0, 93.0),
        "ball_velocity": (0.0, 0.0, 0.0),
        "ball_angular_velocity": (0.0, 0.0, 0.0),
        "cars": (car(0, (0.0, -4608.0, 17.0)), car(1, (0.0, 4608.0, 17.0))),
        "pad_timers": (0.0,) * 34,
    }
    return MatchFrame(**values | changes)


def random_moment(rng: np.random.Generator, blue: int, orange: int) -> MatchFrame:
    """Anything that a state can be."""
    state = random_state(rng, 1, blue, orange)
    cars = blue + orange
    standing = MatchStanding(int(rng.integers(10**7)), ("a", "b"), (int(rng.integers(20)), 0), 0)
    return moment_of(state, standing, rng.choice([-1, 0, 1], (cars, 8)).astype(np.float32), rng.integers(0, 99, cars))
