"""The simple scripted players: idle, random, chaser."""

from __future__ import annotations

from itertools import product

import numpy as np

from rltui.actions.shipped_tables import RlgymTable
from rltui.opponents.base import ScriptedPlayer
from rltui.sim.state import Bool, Float, GameState, Int, Seats

STEERS = (-1.0, -0.5, 0.0, 0.5, 1.0)
AHEAD, NEARLY, BEHIND = 0.05, 0.3, 1.5  # rad off the nose: straight on, gentle, with the handbrake
FAR = 800.0  # uu: boost is not wasted on a ball at hand
DRIVE, BOOST, BRAKE = range(3)  # ways of driving, each with every steer
JUMP = 3 * len(STEERS)  # the last row


class IdlePlayer(ScriptedPlayer):
    """Never does anything: the easiest opponent, and one that leaves the field to the learner."""

    def rows(self) -> Float:
        return np.zeros((1, 8), np.float32)

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        return np.zeros(state.on_ground[seats].shape, np.int64)


class RandomPlayer(ScriptedPlayer):
    """Presses buttons without a plan, as a bot does before it has learned anything."""

    def __init__(self, params: ScriptedPlayer.Params) -> None:
        super().__init__(params)
        self._rows = RlgymTable(RlgymTable.Params()).rows()

    def rows(self) -> Float:
        return self._rows

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        return rng.integers(len(self._rows), size=state.on_ground[seats].shape)


class ChaserPlayer(ScriptedPlayer):
    """Steers at where the ball is, boosts when it is straight ahead and far, turns with the handbrake when it is behind,
    and jumps only to get off its roof. It neither aims nor defends.
    """

    def rows(self) -> Float:
        driving = [
            (1.0, steer, 0.0, 0.0, 0.0, 0.0, float(way == BOOST), float(way == BRAKE))
            for way, steer in product((DRIVE, BOOST, BRAKE), STEERS)
        ]
        return np.array([*driving, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)], np.float32)

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        angle, distance = _to_ball(state, seats)
        size = np.abs(angle)
        turn = np.where(size < AHEAD, 0, np.where(size < NEARLY, 1, 2))
        steer = len(STEERS) // 2 + np.sign(angle).astype(np.int64) * turn
        on_ground = state.on_ground[seats]
        way = np.where(on_ground & (size < NEARLY) & (distance > FAR), BOOST, DRIVE)
        way = np.where(on_ground & (size > BEHIND), BRAKE, way)
        rows = way * len(STEERS) + steer
        return np.where(_wants_up(state, seats), JUMP, rows)


def _to_ball(state: GameState, seats: Seats) -> tuple[Float, Float]:
    """Angle from the nose to the ball in the car's own plane, positive to the right, in rad; and distance in uu."""
    forward, up = state.forward[seats], state.up[seats]
    line = (state.ball_position[:, None] - state.position)[seats]
    right = np.cross(up, forward)
    ahead, aside = np.sum(line * forward, axis=-1), np.sum(line * right, axis=-1)
    return np.arctan2(aside, ahead), np.linalg.norm(line, axis=-1)


def _wants_up(state: GameState, seats: Seats) -> Bool:
    """On the roof, and the jump button up: only a new press rights a car, so it is pressed every other step."""
    roof_down = (state.up[..., 2][seats] < 0) & state.world_contact[seats] & ~state.on_ground[seats]
    return roof_down & ~state.is_holding_jump[seats]
