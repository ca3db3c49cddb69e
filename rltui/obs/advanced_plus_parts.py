"""The parts of an `advanced_plus` observation: each works out some vectors, to be turned into the car's frame, and flags.

A part names its vectors and flags and writes them, in the game's units: vectors [3, n, C, K] in world coordinates and
flags [m, C, K], for K arenas with C cars.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from rltui.obs import advanced_plus_layout as names_of
from rltui.obs.car_major import CarMajor
from rltui.obs.nearest_pads import NearestPads
from rltui.obs.player_order import PlayerOrder
from rltui.sim.field import (
    BACK_WALL_Y,
    BIG_PADS,
    FLIP_WINDOW_SECONDS,
    GOAL_CENTRE_Z,
    PAD_POSITIONS,
    PADS,
    TICKS_PER_SECOND,
)
from rltui.sim.state import Float, GameState


class Part(ABC):
    """vectors, flags: names of what `write` writes, in order."""

    vectors: list[str]
    flags: list[str]

    @abstractmethod
    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        """Overwrite vectors and flags; `cars` is the same state."""


class Body(Part):
    """The car itself, the ball, the goals."""

    def __init__(self, state: GameState) -> None:
        """state: for its teams and number of arenas."""
        self.vectors = [*names_of.BODY_VECTORS, *names_of.GOAL_VECTORS]
        self.flags = [*names_of.vectors(["world_up"]), *names_of.OWN, *names_of.PREVIOUS, *names_of.CAN]
        goals: Float = np.zeros((3, 2, state.cars, 1), np.float32)  # own, opponents'
        goals[1] = np.stack([-state.team_sign, state.team_sign])[..., None] * np.float32(BACK_WALL_Y)
        goals[2] = GOAL_CENTRE_Z
        self._goals = goals

    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        ball, position = cars.ball[:, 0, None], cars.position
        np.subtract(ball, position, out=vectors[:, 0])
        vectors[:, 1] = cars.ball[:, 1, None]
        vectors[:, 2:4] = cars.motion[:, 1:, :-1]
        np.subtract(self._goals, ball[:, None], out=vectors[:, 4:6])
        np.subtract(self._goals, position[:, None], out=vectors[:, 6:8])
        flags[0:3] = cars.axes[2]
        flags[3] = position[2]
        flags[4] = state.boost.T
        self._write_flips(state, cars, flags)
        flags[6] = state.on_ground.T
        flags[7] = cars.alive
        np.logical_and(state.kickoff, state.last_toucher < 0, out=flags[8])
        flags[9:17] = state.previous_actions.transpose(2, 1, 0)
        np.logical_and(flags[4], cars.alive, out=flags[17])

    def _write_flips(self, state: GameState, cars: CarMajor, flags: Float) -> None:
        used = state.has_double_jumped | state.has_flipped
        in_time = state.air_time_since_jump < FLIP_WINDOW_SECONDS
        flags[5] = (in_time > used).T
        np.logical_and(state.can_flip.T, cars.alive, out=flags[18])


class Players(Part):
    """The other cars."""

    def __init__(self, state: GameState) -> None:
        """state: for its teams and number of arenas."""
        self._order = PlayerOrder(state.blue, state.orange, state.arenas)
        self._has_gaps = state.blue != state.orange
        self._arena = np.arange(state.arenas)
        self._details: Float = np.zeros((3, state.cars + 1, state.arenas), np.float32)
        self._details[2, :-1] = 1  # all are present but nobody
        self.names = names_of.players(self._order.allies, self._order.opponents)
        self.vectors = [f"{name}.{vector}" for vector in names_of.PLAYER_VECTORS for name in self.names]
        self.flags = [f"{name}.{flag}" for flag in names_of.PLAYER_FLAGS for name in self.names]

    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        if not self.names:
            return
        position = cars.position
        distance = np.square(cars.ball[:, 0, None] - position).sum(axis=0)
        which = self._order.find(distance) * len(self._arena) + self._arena  # flat in [C + 1, K]
        self._details[0, :-1] = state.boost.T
        self._details[1, :-1] = cars.alive
        flags[...] = self._details.reshape(3, -1).take(which, axis=1).reshape(flags.shape)
        vectors[...] = cars.motion.reshape(9, -1).take(which, axis=1).reshape(vectors.shape)
        relative = vectors[:, : len(self.names)]
        np.subtract(relative, position[:, None], out=relative)
        if self._has_gaps:
            np.multiply(relative, flags[-len(self.names) :], out=relative)


class Pads(Part):
    """The boost pads nearest to the car and to the ball."""

    def __init__(self, state: GameState, count: int) -> None:
        """state: for its teams and number of arenas. count: how many near each."""
        near = names_of.near_pads(count)
        self.vectors = [f"{pad}.position" for pad in near]
        self.flags = [f"{pad}.{flag}" for flag in names_of.PAD_FLAGS for pad in near]
        self._nearest = NearestPads(state.team, state.arenas, count)
        self._first = PADS * np.arange(state.arenas)  # of the arena's timers
        self._table: Float = np.zeros((4, PADS), np.float32)  # x, y, z, big
        self._table[:3] = np.array(PAD_POSITIONS).T
        self._table[3, list(BIG_PADS)] = 1

    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        pads = self._nearest.find(cars.position, cars.ball[:, 0])
        details = self._table.take(pads, axis=1)
        np.subtract(details[:3], cars.position[:, None], out=vectors)
        big, active, respawn = flags.reshape(3, *pads.shape)
        big[...] = details[3]
        respawn[...] = state.pad_timers.take(pads + self._first)
        np.equal(respawn, 0, out=active)


class Context(Part):
    """How the match stands."""

    def __init__(self, state: GameState, match_seconds: float) -> None:
        self.vectors, self.flags = [], [*names_of.CONTEXT]
        self._ticks = match_seconds * TICKS_PER_SECOND

    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        flags[0] = np.maximum(1 - state.tick / self._ticks, 0)
        flags[1] = np.tanh(state.goal * np.float32(0.5)) * state.team_sign[:, None]
