"""The stage on which a table's rows are played: one arena full of cars, each in the same situation, each with a row of its own.

The rows go the way that training's rows go, through `sim.arena_batch`. Many cars in one arena are the quickest: about
10 µs a car and step, where the first tick of each new arena costs 20 ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.debug.canonical_states import CanonicalState, place
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.field import PADS
from rltui.sim.state import ArenaSetup, Bool, Float, GameState, Int

CARS = 63
TICKS = 8  # of a step, without delay: what a row does is read at the end of the step that played it
BALL = (0.0, 4900.0, 1700.0)  # out of the way
PAD_SECONDS = 10.0  # no boost lies about


@dataclass(frozen=True)
class Moment:
    """N cars at one time. Vectors in uu, uu/s, rad/s."""

    position: Float  # [N, 3]
    velocity: Float  # [N, 3]
    spin: Float  # [N, 3] angular velocity
    forward: Float  # [N, 3]
    up: Float  # [N, 3]
    boost: Float  # [N] 0–100
    handbrake: Float  # [N] 0–1
    on_ground: Bool  # [N]
    has_jumped: Bool  # [N]
    has_flipped: Bool  # [N]
    has_double_jumped: Bool  # [N]


FIELDS = {name: name for name in Moment.__dataclass_fields__} | {"spin": "angular_velocity"}
Played = list[Moment]  # before the first step, then after each


class Stage:
    """Plays rows in canonical states. The simulator must have been started (sim.meshes.init_simulator)."""

    def __init__(self, rows: Float) -> None:
        """rows: float32 [N, 8], finite."""
        self._idle = len(rows)
        table = np.concatenate([rows, np.zeros((1, 8), np.float32)])
        pace, cursor = Pace(TICKS, delay=0), np.zeros(1, np.int64)
        self._batch = ArenaBatch([np.random.default_rng(0)], (CARS, 0), table, pace, cursor)

    @property
    def state(self) -> GameState:
        """Of the cars that played last, [1, CARS]."""
        return self._batch.state

    def play(self, state: CanonicalState, rows: Int, steps: int) -> Played:
        """Each of these rows (numbers [n]), held for so many steps by a car of its own."""
        parts = [self._play(state, rows[first : first + CARS], steps) for first in range(0, len(rows), CARS)]
        return [_joined([part[step] for part in parts]) for step in range(steps + 1)] if parts else []

    def _play(self, state: CanonicalState, rows: Int, steps: int) -> Played:
        self.put(state)
        actions = np.full((1, CARS), self._idle)
        actions[0, : len(rows)] = rows
        moments = [_moment(self.state, len(rows))]
        for _ in range(steps):
            self._batch.step(actions)
            moments.append(_moment(self.state, len(rows)))
        return moments

    def put(self, state: CanonicalState) -> None:
        """All cars into this situation, idle for a step: the simulator works out contacts at its first tick."""
        self._batch.reset([0], [_setup(state)])
        self._batch.step(np.full((1, CARS), self._idle))


def _setup(state: CanonicalState) -> ArenaSetup:
    """The cars in rows and columns, looking along +y, far enough from each other for half a second at any speed."""
    position, forward, up = map(np.array, place(state))
    cars = np.arange(CARS)
    if state.surface == "wall":
        offsets = np.stack([0 * cars, cars % 21 * 300 - 3150, cars // 21 * 400 - 400], axis=1)
    else:
        offsets = np.stack([cars % 9 * 800 - 3200, cars // 9 * 1200 - 4000, 0 * cars], axis=1)
    rotation = np.stack([forward, np.cross(up, forward), up], axis=1)
    return ArenaSetup(
        ball_position=np.array(BALL, np.float32),
        ball_velocity=np.zeros(3, np.float32),
        ball_angular_velocity=np.zeros(3, np.float32),
        position=(position + offsets).astype(np.float32),
        velocity=np.tile(forward * state.speed, (CARS, 1)).astype(np.float32),
        angular_velocity=np.zeros((CARS, 3), np.float32),
        rotation=np.tile(rotation, (CARS, 1, 1)).astype(np.float32),
        boost=np.full(CARS, state.boost, np.float32),
        on_ground=np.full(CARS, state.wheels_down),
        pad_timers=np.full(PADS, PAD_SECONDS, np.float32),
        flip_used=np.full(CARS, not state.flip),
        body_down=np.full(CARS, state.surface == "roof"),
    )


def _moment(state: GameState, cars: int) -> Moment:
    return Moment(**{name: getattr(state, source)[0, :cars].copy() for name, source in FIELDS.items()})


def _joined(parts: list[Moment]) -> Moment:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    return Moment(**{name: column(name) for name in FIELDS})
