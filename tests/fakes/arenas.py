"""Small simulated worlds for tests: setups by hand, batches of arenas, and RLGym's engine put into the same state."""

from __future__ import annotations

from typing import Any

import numpy as np
from rlgym.rocket_league.api import PhysicsObject
from rlgym.rocket_league.state_mutators import FixedTeamSizeMutator

from rltui.actions.shipped_tables import RlgymTable
from rltui.sim import meshes
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.state import ArenaSetup, Float

ROWS = RlgymTable(RlgymTable.Params()).rows()


def flat_setup(
    positions: list[tuple[float, float, float]], ball: tuple[float, float, float] = (0, 0, 93.15)
) -> ArenaSetup:
    """Cars at rest that look along +x, on the ground when they are low; the ball at rest."""
    cars = len(positions)
    return ArenaSetup(
        ball_position=np.array(ball, np.float32),
        ball_velocity=np.zeros(3, np.float32),
        ball_angular_velocity=np.zeros(3, np.float32),
        position=np.array(positions, np.float32),
        velocity=np.zeros((cars, 3), np.float32),
        angular_velocity=np.zeros((cars, 3), np.float32),
        rotation=np.tile(np.eye(3, dtype=np.float32), (cars, 1, 1)),
        boost=np.full(cars, 100.0, np.float32),
        on_ground=np.array([z < 30 for _, _, z in positions]),
    )


def batch(
    arenas: int = 1,
    teams: tuple[int, int] = (1, 0),
    rows: Float = ROWS,
    pace: Pace | None = None,
    seed: int = 0,
    contacts: bool = False,
) -> ArenaBatch:
    """A batch of arenas, still to be reset."""
    meshes.init_simulator(meshes.locate())
    generators = [np.random.default_rng([seed, arena]) for arena in range(arenas)]
    return ArenaBatch(generators, teams, rows, pace or Pace(), contacts=contacts)


def fill_rlgym_state(game: Any, setup: ArenaSetup, blue: int, orange: int) -> None:
    """Make RLGym's base state that of the setup; agents in car order."""
    FixedTeamSizeMutator(blue, orange).apply(game, {})
    setup = setup.woken()
    game.ball = _body(setup.ball_position, setup.ball_velocity, setup.ball_angular_velocity, None)
    for index, car in enumerate(game.cars.values()):
        rotation = setup.rotation[index]
        car.physics = _body(setup.position[index], setup.velocity[index], setup.angular_velocity[index], rotation)
        car.boost_amount = float(setup.boost[index])
        car.on_ground = bool(setup.on_ground[index])


def _body(position: Float, velocity: Float, spin: Float, rotation: Float | None) -> PhysicsObject:
    body: Any = PhysicsObject()
    body.position, body.linear_velocity, body.angular_velocity = position, velocity, spin
    body.rotation_mtx = np.eye(3, dtype=np.float32) if rotation is None else rotation
    result: PhysicsObject = body
    return result
