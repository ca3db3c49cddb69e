"""A game state with cars and arenas as its last axes, so that operations over all of them run along unbroken memory."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Float, GameState


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
