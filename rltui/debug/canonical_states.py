"""The eight situations in which an action table is judged: as flags, for legality, and as places, for the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rltui.sim.field import CAR_REST_Z, KICKOFF_BOOST
from rltui.sim.readout import Readout, view_state
from rltui.sim.state import GameState

Surface = Literal["floor", "wall", "air", "roof", "none"]  # what the car stands or lies on; none: it is a wreck

AIR_Z = 900.0
ROOF_Z = 39.6  # of a settled Octane, roof down
WALL_X = 4096.0 - CAR_REST_Z


@dataclass(frozen=True)
class CanonicalState:
    """A car in one situation. when: how sentences say it."""

    name: str
    when: str
    surface: Surface
    boost: float = 50.0  # 0–100
    speed: float = 0.0  # uu/s forward
    flip: bool = True  # a jump or flip is left
    alive: bool = True

    @property
    def wheels_down(self) -> bool:
        return self.surface in ("floor", "wall")


STATES = (
    CanonicalState("kickoff", "at kickoff", "floor", KICKOFF_BOOST),
    CanonicalState("driving", "while driving", "floor", speed=1000.0),
    CanonicalState("airborne with flip", "in the air", "air"),
    CanonicalState("airborne without flip", "in the air without a flip", "air", flip=False),
    CanonicalState("turtled", "on its roof", "roof", flip=False),
    CanonicalState("on a wall", "on a wall", "wall", speed=1000.0),
    CanonicalState("boost 0", "without boost", "floor", boost=0.0, speed=1000.0),
    CanonicalState("demolished", "when demolished", "none", alive=False),
)
BY_NAME = {state.name: state for state in STATES}


def game_state() -> GameState:
    """All of them as one state of [8, 1]: what legality is asked about."""
    game = view_state(Readout(len(STATES), 1), np.zeros(1, np.int8))
    for arena, state in enumerate(STATES):
        game.boost[arena] = state.boost
        game.on_ground[arena] = state.wheels_down
        game.can_flip[arena] = state.flip and state.surface == "air"
        game.has_jumped[arena] = game.has_double_jumped[arena] = not state.flip
        game.world_contact[arena] = state.surface == "roof"
        game.demo_respawn_timer[arena] = 0.0 if state.alive else 3.0
        game.position[arena], game.forward[arena], game.up[arena] = place(state)
        game.velocity[arena] = game.forward[arena] * state.speed
    game.kickoff[0] = True
    return game


def place(
    state: CanonicalState,
) -> tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
    """Position in uu, forward and up of a car that looks along +y."""
    forward = (0.0, 1.0, 0.0)
    if state.surface == "wall":
        return (WALL_X, 0.0, 800.0), forward, (-1.0, 0.0, 0.0)
    if state.surface == "roof":
        return (0.0, 0.0, ROOF_Z), forward, (0.0, 0.0, -1.0)
    return (0.0, 0.0, AIR_Z if state.surface == "air" else CAR_REST_Z), forward, (0.0, 0.0, 1.0)
