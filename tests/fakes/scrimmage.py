"""Random rollouts in which what rewards pay for does happen: cars at the ball, on it and under it, flips, landings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rltui.sim.state import Bool, Contacts, Float, GameState
from tests.fakes.game_states import random_state


def scrimmage(rng: np.random.Generator, arenas: int, teams: tuple[int, int], steps: int) -> list[GameState]:
    """`steps` random states whose time goes on, by a step or by seconds. Most fields jump from one to the next."""
    states = [_crowded(rng, random_state(rng, arenas, *teams)) for _ in range(steps)]
    ticks = np.cumsum(rng.choice([8, 120, 300], (steps, arenas)), axis=0)
    return [replace(state, tick=tick) for state, tick in zip(states, ticks, strict=True)]


def _crowded(rng: np.random.Generator, state: GameState) -> GameState:
    """A quarter of the cars each close to the ball, with the wheels on it, with it on the roof, and anywhere."""
    shape = state.on_ground.shape
    close = rng.uniform(-250, 250, (*shape, 3))
    standing = state.up * rng.uniform(80, 160, (*shape, 1))
    carrying = -np.concatenate([rng.uniform(-110, 110, (*shape, 2)), rng.uniform(110, 160, (*shape, 1))], axis=-1)
    kind = rng.integers(0, 4, shape)[..., None]
    at_ball = state.ball_position[:, None] + np.select([kind == 0, kind == 1, kind == 2], [close, standing, carrying])
    position = np.where(kind == 3, state.position, at_ball).astype(np.float32)
    demolished = np.where(rng.random(shape) < 0.3, state.demo_respawn_timer, np.float32(0))
    return replace(state, position=position, demo_respawn_timer=demolished, _contacts=_on_floors(rng, state))


def _on_floors(rng: np.random.Generator, state: GameState) -> Contacts:
    """Half of the bodies that touch something touch a level floor, or the ceiling."""
    level: Bool = rng.random(state.world_contact.shape) < 0.5
    normals: Float = state.contacts.normal.copy()
    normals[level & state.world_contact] = [0, 0, 1]
    normals[level & state.world_contact & (rng.random(level.shape) < 0.2)] = [0, 0, -1]
    return Contacts(state.contacts.wheels, normals)
