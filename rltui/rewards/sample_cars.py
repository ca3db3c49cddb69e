"""Random cars for sample_states: where they are, how they lie and move, and what of their jump and flip is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from rltui.sim import field
from rltui.sim.state import Bool, Contacts, Float, Int

FLOOR, AIR, WALL, ROOF = range(4)  # where a car is
SHARES = (0.45, 0.35, 0.1, 0.1)
ROOF_Z = 39.6  # of a car that lies on its roof
AT_BALL, IN_NET = 0.3, 0.03  # shares of cars
REACH = 250.0  # uu, of a car at the ball from it
BEHIND_GOAL_LINE = 5400.0


def bodies(rng: np.random.Generator, where: Int, ball: Float) -> dict[str, Any]:
    """where: [K, C]; ball: [K, 3]. Some cars are at the ball, a few in a net."""
    position = _positions(rng, where, ball)
    side = np.sign(position[..., 0])
    velocity = vectors(rng, where.shape, field.CAR_MAX_SPEED)
    velocity[(where == FLOOR) | (where == ROOF), 2] = 0
    up = vectors(rng, where.shape, 1.0, exact=True)
    up[where == FLOOR], up[where == ROOF] = (0, 0, 1), (0, 0, -1)
    up[where == WALL] = np.stack([-side, 0 * side, 0 * side], axis=-1)[where == WALL]
    forward = np.cross(up, vectors(rng, where.shape, 1.0, exact=True))
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    return {
        "position": position,
        "velocity": velocity,
        "angular_velocity": vectors(rng, where.shape, field.CAR_MAX_SPIN),
        "forward": forward.astype(np.float32),
        "up": up,
    }


def _positions(rng: np.random.Generator, where: Int, ball: Float) -> Float:
    position = box(rng, where.shape, (3900, 4900), (150, 1900))
    beside = ball[:, None] + vectors(rng, where.shape, REACH)
    position = np.where(coin(rng, where.shape, AT_BALL)[..., None], beside, position)
    in_net = coin(rng, where.shape, IN_NET)
    position[in_net] = box(rng, where.shape, (800, 0), (40, 540))[in_net]
    position[in_net, 1] = BEHIND_GOAL_LINE * rng.choice([-1, 1], where.shape)[in_net]
    np.clip(position[..., 2], ROOF_Z, 1950, out=position[..., 2])
    position[where == FLOOR, 2], position[where == ROOF, 2] = field.CAR_REST_Z, ROOF_Z
    position[where == WALL, 0] = (np.sign(position[..., 0]) * (field.SIDE_WALL_X - field.CAR_REST_Z))[where == WALL]
    return position.astype(np.float32)


def flags(rng: np.random.Generator, where: Int, demolished: Bool) -> dict[str, Any]:
    """Ground, jumps and flips; a demolished car stands on nothing."""
    shape = where.shape
    on_ground = ((where == FLOOR) | (where == WALL)) & ~demolished
    air = where == AIR
    jumped, flipped = air & coin(rng, shape, 0.6), air & coin(rng, shape, 0.3)
    doubled = air & ~flipped & coin(rng, shape, 0.2)
    since_jump = np.where(jumped, rng.uniform(0, 3, shape), 0).astype(np.float32)
    flip_time = np.where(flipped, rng.uniform(0, 1.5, shape), 0).astype(np.float32)
    holding = coin(rng, shape, 0.3)
    in_time = since_jump < field.FLIP_WINDOW_SECONDS
    return {
        "on_ground": on_ground,
        "world_contact": (where == ROOF) & ~demolished,
        "has_jumped": jumped,
        "is_jumping": jumped & (since_jump == 0),
        "is_holding_jump": holding,
        "has_flipped": flipped,
        "is_flipping": flipped & (flip_time < field.FLIP_SECONDS),
        "has_double_jumped": doubled,
        "can_flip": ~on_ground & ~holding & ~flipped & ~doubled & in_time,
        "air_time_since_jump": since_jump,
        "flip_time": flip_time,
        "handbrake": rng.choice(np.array([0, 1], np.float32), shape),
        "is_supersonic": coin(rng, shape, 0.1),
    }


def touching(rng: np.random.Generator, where: Int, demolished: Bool) -> Contacts:
    """What of the cars touches the world."""
    wheels = np.where((where == FLOOR) | (where == WALL), 4, np.where(where == AIR, 0, rng.integers(0, 2, where.shape)))
    normal = np.zeros((*where.shape, 3), np.float32)
    normal[(where == ROOF) & ~demolished] = (0, 0, 1)
    return Contacts(np.where(demolished, 0, wheels).astype(np.int8), normal)


def box(rng: np.random.Generator, shape: tuple[int, ...], half: tuple[float, float], z: tuple[float, float]) -> Float:
    """Points [*shape, 3] with |x| and |y| up to `half`."""
    low, high = (-half[0], -half[1], z[0]), (half[0], half[1], z[1])
    return rng.uniform(low, high, (*shape, 3)).astype(np.float32)


def vectors(rng: np.random.Generator, shape: tuple[int, ...], longest: float, exact: bool = False) -> Float:
    """Uniform directions; of length up to `longest`, or just so long."""
    drawn = rng.normal(size=(*shape, 3))
    drawn *= longest / np.linalg.norm(drawn, axis=-1, keepdims=True)
    if not exact:
        drawn *= rng.random((*shape, 1))
    return drawn.astype(np.float32)


def coin(rng: np.random.Generator, shape: tuple[int, ...], p: float) -> Bool:
    return rng.random(shape) < p
