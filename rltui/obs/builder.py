"""ObsBuilder base class, player order, cars-major views."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rltui.sim.state import Bool, Float, GameState, Int


class ObsBuilder(ABC):
    """Each car's view of the game, in its own team's coordinates: turn the world by 180° and swap the teams, and each
    car sees what its counterpart saw.
    """

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def size(self, blue: int, orange: int) -> int:
        """Numbers in one car's row. RltuiError when the builder cannot serve these team sizes."""

    def reset(self, state: GameState, arenas: Bool) -> None:  # noqa: B027  most remember nothing
        """Forget these arenas (mask [K]): `state` is the first of their new episode."""

    @abstractmethod
    def build(self, state: GameState, out: Float) -> None:
        """Write every car's row into `out`, float32 [K, C, size], contiguous in its last axis; finite, nothing kept."""

    def mirror(self, blue: int, orange: int) -> tuple[Int, Float] | None:
        """What a row becomes in the left-right mirror image of the game, x → −x: (index, sign), each [size]; its number i is
        sign[i] times number index[i] of the row. None: not known.
        """
        return None


class PlayerOrder:
    """For `blue` + `orange` cars in K arenas. Equally near ones stand in car order, which is the same for counterparts."""

    def __init__(self, blue: int, orange: int, arenas: int) -> None:
        self._teams = (range(blue), range(blue, blue + orange))
        self.allies = max(blue, orange) - 1  # places: those of the larger team's cars
        self.opponents = max(blue, orange) if blue and orange else 0
        self._absent = blue + orange
        places = self.allies + self.opponents
        self._players: Int = np.full((places, self._absent, arenas), self._absent)
        self._sort(np.zeros((self._absent, arenas), np.float32))

    def find(self, distance: Float) -> Int:
        """Car numbers [places, C, K] for distances to the ball [C, K]; the number of cars where a place is empty."""
        if self._absent > 2 or self.allies:  # else there is nothing to sort
            self._sort(distance)
        return self._players

    def _sort(self, distance: Float) -> None:
        orders = [distance[team.start : team.stop].argsort(axis=0, kind="stable") + team.start for team in self._teams]
        for side, team in enumerate(self._teams):
            own, other = orders[side], orders[1 - side]
            for car in team:
                for place in range(len(team) - 1):
                    passed = (own[: place + 1] == car).any(axis=0)  # the car itself is no ally
                    self._players[place, car] = np.where(passed, own[place + 1], own[place])
                self._players[self.allies : self.allies + len(other), car] = other


class CarMajor:
    """Copies of what K arenas with C cars are in. x, y, z come first, in the world's own coordinates."""

    def __init__(self, arenas: int, cars: int) -> None:
        self.motion: Float = np.zeros((3, 3, cars + 1, arenas), np.float32)  # position, velocity, spin; last: nobody
        self.axes: Float = np.zeros((3, 3, cars, arenas), np.float32)  # forward, right, up of each car
        self.ball: Float = np.zeros((3, 2, arenas), np.float32)  # position, velocity
        self.alive: Float = np.zeros((cars, arenas), np.float32)
        self._products: Float = np.zeros((2, cars, arenas), np.float32)

    @property
    def position(self) -> Float:
        """View [3, C, K]."""
        view: Float = self.motion[:, 0, :-1]
        return view

    def read(self, state: GameState) -> None:
        """Copy what is needed of it."""
        cars = self.motion[:, :, :-1]
        for i, vectors in enumerate((state.position, state.velocity, state.angular_velocity)):
            cars[:, i] = vectors.transpose(2, 1, 0)
        self.ball[:, 0] = state.ball_position.T
        self.ball[:, 1] = state.ball_velocity.T
        self.axes[:, 0] = state.forward.transpose(2, 1, 0)
        self.axes[:, 2] = state.up.transpose(2, 1, 0)
        self._write_right()
        np.equal(state.demo_respawn_timer.T, 0, out=self.alive)

    def turn(self, vectors: Float, out: Float, scratch: Float) -> None:
        """World vectors [3, N, C, K] into each car's frame: out [3, N, C, K] along forward, right, up."""
        for i, (vector, axes) in enumerate(zip(vectors, self.axes, strict=True)):
            np.multiply(vector, axes[:, None], out=scratch if i else out)
            if i:
                np.add(out, scratch, out=out)

    def _write_right(self) -> None:
        """up × forward; written out, for NumPy's cross product takes ten times as long."""
        forward, right, up = (self.axes[:, i] for i in range(3))
        first, second = self._products
        for x in range(3):
            y, z = (x + 1) % 3, (x + 2) % 3
            np.multiply(up[y], forward[z], out=first)
            np.multiply(up[z], forward[y], out=second)
            np.subtract(first, second, out=right[x])
