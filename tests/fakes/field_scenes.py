"""Scenes by hand: cars and a ball where a test wants them, as the simulator shows them before anything is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.state import Float, GameState
from tests.fakes.arenas import ROWS, batch, flat_setup

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Blue:
    """A blue car on the floor, looking up the field (+y) unless `yaw` says otherwise, in rad from +x."""

    place: tuple[float, float] = (0.0, 0.0)
    speed: float = 0.0  # along its nose
    yaw: float = np.pi / 2
    boost: float = 50.0


@dataclass(frozen=True)
class Ball:
    place: Vector = (0.0, 0.0, 93.15)
    velocity: Vector = (0.0, 0.0, 0.0)


def scene(ball: Ball, *blues: Blue, rows: Float = ROWS, pads: Sequence[int] | None = None) -> ArenaBatch:
    """One arena with these cars and one orange car out of the way. pads: the only ones that are there (all)."""
    setup = flat_setup([(*blue.place, 17.0) for blue in blues] + [(0.0, 5000.0, 17.0)], ball.place)
    for index, blue in enumerate(blues):
        nose = np.array([np.cos(blue.yaw), np.sin(blue.yaw), 0], np.float32)
        setup.rotation[index] = np.stack([nose, [-nose[1], nose[0], 0], [0, 0, 1]], axis=1)
        setup.velocity[index] = blue.speed * nose
        setup.boost[index] = blue.boost
    timers = (
        np.zeros(34, np.float32) if pads is None else np.where(np.isin(np.arange(34), pads), 0, 9).astype(np.float32)
    )
    setup = replace(setup, ball_velocity=np.array(ball.velocity, np.float32), pad_timers=timers)
    arenas = batch(teams=(len(blues), 1), rows=rows)
    arenas.reset([0], [setup])
    return arenas


def seen(ball: Ball, *blues: Blue, pads: Sequence[int] | None = None) -> GameState:
    return scene(ball, *blues, pads=pads).state
