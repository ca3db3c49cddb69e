"""Feature groups of the `advanced_plus` observation, its layout, nearest pads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rltui.field import (
    BACK_WALL_Y,
    BIG_PADS,
    CONTROLS,
    FLIP_WINDOW_SECONDS,
    GOAL_CENTRE_Z,
    MIRROR_CONTROLS,
    PAD_POSITIONS,
    PADS,
    TICKS_PER_SECOND,
)
from rltui.obs.builder import CarMajor, PlayerOrder
from rltui.sim.state import Float, GameState, Int

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
Key = NDArray[np.uint32]
NUMBER_BITS = np.uint32(63)  # the lowest six bits of a key: room for 34 pads
HALF, ONE = np.uint32(32), np.uint32(1)


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


def mirror_sign(name: str) -> float:
    """A feature's in the left-right mirror image. `right` is up × forward, a pseudovector as a spin is: of a vector only the
    part along it changes its sign, of a spin only those along the others.
    """
    if name in PREVIOUS:
        return MIRROR_CONTROLS[PREVIOUS.index(name)]
    *_, quantity, axis = ("", *name.split("."))
    if axis not in AXES:
        return 1.0
    return -1.0 if (axis == "right") != (quantity == "spin") else 1.0


class NearestPads:
    """Nearest on the map, over x and y; the order of RLGym's pads, as the car's own team sees it, settles ties.

    A squared distance and the pad's number share one key: a positive float32, read as an integer, grows with its value,
    and its lowest six bits, some millionths of it, make room for the number. So the nearest pad is the least key, with
    no second array of indices to carry along, and counterparts choose alike.
    """

    def __init__(self, team: NDArray[np.int8], arenas: int, count: int) -> None:
        """team [C]; count: how many of each."""
        sides = sorted(set(team.tolist()))  # the ball is looked at from each
        views = np.array([*team.tolist(), *sides])  # [B] whose view: the cars' own, then of the ball
        self._cars = len(team)
        pads = np.array(PAD_POSITIONS, np.float32)[:, :2]
        seen = np.stack([pads[::-1] if view else pads for view in views.tolist()], axis=1)  # [34, B, 2]
        self._pads: Float = np.ascontiguousarray(seen.transpose(2, 0, 1)[..., None])
        self._flip: Int = np.where(views == 1, PADS - 1, 0)[:, None]
        self._number: Key = np.arange(PADS, dtype=np.uint32)[:, None, None]
        self._ball: list[int] = [self._cars + sides.index(side) for side in team.tolist()]
        shape = (len(views), arenas)
        self._place: Float = np.zeros((2, *shape), np.float32)
        self._squares: Float = np.zeros((2, PADS, *shape), np.float32)
        self._rest: Key = np.zeros((PADS, *shape), np.uint32)
        self._nearest: Key = np.zeros((count, *shape), np.uint32)

    def find(self, position: Float, ball: Float) -> Int:
        """Pads in RLGym's order [2 n, C, K], n near the car and n near the ball, nearest first, for positions [3, C, K]
        and [3, K].
        """
        self._place[:, : self._cars] = position[:2]
        self._place[:, self._cars :] = ball[:2, None]
        self._choose(self._keys())
        number = (self._nearest & NUMBER_BITS).astype(np.int64)
        pads = np.abs(self._flip - number)
        return np.concatenate([pads[:, : self._cars], pads[:, self._ball]])

    def _keys(self) -> Key:
        """[34, B, K], less where nearer."""
        x, y = self._squares
        np.subtract(self._pads[0], self._place[0], out=x)
        np.subtract(self._pads[1], self._place[1], out=y)
        np.multiply(self._squares, self._squares, out=self._squares)
        np.add(x, y, out=x)
        keys: Key = x.view(np.uint32)
        np.add(keys, HALF, out=keys)  # rounded: what the physics does to the last bit must not part equal distances
        np.bitwise_and(keys, ~NUMBER_BITS, out=keys)
        np.bitwise_or(keys, self._number, out=keys)
        return keys

    def _choose(self, keys: Key) -> None:
        """Write the least keys. Less one more than the last one chosen, all keys up to it wrap round and are the largest."""
        nearest = self._nearest
        keys.min(axis=0, out=nearest[0])
        for last, following in pairwise(nearest):
            beyond = last + ONE
            np.subtract(keys, beyond, out=self._rest)
            self._rest.min(axis=0, out=following)
            following += beyond


class FeatureGroup(ABC):
    """Some vectors, to be turned into the car's frame, and flags. vectors, flags: names of what `write` writes, in order.

    In the game's units: vectors [3, n, C, K] in world coordinates and flags [m, C, K], for K arenas with C cars.
    """

    vectors: list[str]
    flags: list[str]

    @abstractmethod
    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        """Overwrite vectors and flags; `cars` is the same state."""


class Body(FeatureGroup):
    """The car itself, the ball, the goals."""

    def __init__(self, state: GameState) -> None:
        """state: for its teams and number of arenas."""
        self.vectors = [*BODY_VECTORS, *GOAL_VECTORS]
        self.flags = [*vectors(["world_up"]), *OWN, *PREVIOUS, *CAN]
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
        np.logical_and(state.on_ground.T, cars.alive, out=flags[6])
        flags[7] = cars.alive
        np.logical_and(state.kickoff, state.last_toucher < 0, out=flags[8])
        flags[9:17] = state.previous_actions.transpose(2, 1, 0)
        np.logical_and(flags[4], cars.alive, out=flags[17])

    def _write_flips(self, state: GameState, cars: CarMajor, flags: Float) -> None:
        used = state.has_double_jumped | state.has_flipped
        in_time = state.air_time_since_jump < FLIP_WINDOW_SECONDS
        flags[5] = (in_time > used).T
        np.logical_and(state.can_flip.T, cars.alive, out=flags[18])


class Players(FeatureGroup):
    """The other cars."""

    def __init__(self, state: GameState) -> None:
        """state: for its teams and number of arenas."""
        self._order = PlayerOrder(state.blue, state.orange, state.arenas)
        self._has_gaps = state.blue != state.orange
        self._arena = np.arange(state.arenas)
        self._details: Float = np.zeros((3, state.cars + 1, state.arenas), np.float32)
        self._details[2, :-1] = 1  # all are present but nobody
        self.names = players(self._order.allies, self._order.opponents)
        self.vectors = [f"{name}.{vector}" for vector in PLAYER_VECTORS for name in self.names]
        self.flags = [f"{name}.{flag}" for flag in PLAYER_FLAGS for name in self.names]

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


class Pads(FeatureGroup):
    """The boost pads nearest to the car and to the ball."""

    def __init__(self, state: GameState, count: int) -> None:
        """state: for its teams and number of arenas. count: how many near each."""
        near = near_pads(count)
        self.vectors = [f"{pad}.position" for pad in near]
        self.flags = [f"{pad}.{flag}" for flag in PAD_FLAGS for pad in near]
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


class Context(FeatureGroup):
    """How the match stands."""

    def __init__(self, state: GameState, match_seconds: float) -> None:
        self.vectors, self.flags = [], [*CONTEXT]
        self._ticks = match_seconds * TICKS_PER_SECOND

    def write(self, state: GameState, cars: CarMajor, vectors: Float, flags: Float) -> None:
        flags[0] = np.maximum(1 - state.tick / self._ticks, 0)
        flags[1] = np.tanh(state.goal * np.float32(0.5)) * state.team_sign[:, None]
