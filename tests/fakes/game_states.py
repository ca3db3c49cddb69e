"""Game states out of thin air: random ones, the same turned by 180° with teams swapped, or mirrored, and as RLGym has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from rlgym.rocket_league.api import Car, PhysicsObject
from rlgym.rocket_league.api import GameState as RlgymState

from rltui.field import CONTROLS, PAD_POSITIONS
from rltui.sim.state import Contacts, Float, GameState

TEAM_SIZES = [(blue, orange) for blue in range(4) for orange in range(4) if blue + orange]
TURN = np.array([-1, -1, 1], dtype=np.float32)


def random_state(rng: np.random.Generator, arenas: int, blue: int, orange: int) -> GameState:
    """Every field drawn by itself over its range, with the ties between fields that RLGym's properties have."""
    cars = blue + orange
    shape = (arenas, cars)
    goal = rng.choice([0, 0, 0, 1, -1], arenas).astype(np.int8)
    ball = _place(rng, (arenas,), [3500, 4500, 1900])
    ball[goal != 0, 1] = 5300 * goal[goal != 0].astype(np.float32)
    demo = np.where(_coin(rng, shape, 0.2), rng.uniform(0, 3, shape), 0).astype(np.float32)
    forward, up = _directions(rng, shape)
    flags = {name: _coin(rng, shape) for name in ("is_boosting", "is_supersonic", "is_holding_jump", "has_jumped")}
    flags |= {name: _coin(rng, shape) for name in ("is_jumping", "has_double_jumped", "has_flipped", "world_contact")}
    on_ground = _coin(rng, shape) | (demo > 0)
    flip_time, air_time = _range(rng, shape, 1.0), _range(rng, shape, 2.0)
    has_flip = ~flags["has_double_jumped"] & ~flags["has_flipped"] & (air_time < 1.25)
    return GameState(
        blue=blue,
        orange=orange,
        team=np.repeat(np.array([0, 1], np.int8), [blue, orange]),
        team_sign=np.repeat(np.array([1, -1], np.float32), [blue, orange]),
        tick=rng.integers(0, 36000, arenas),
        last_touch_tick=np.zeros(arenas, np.int64),
        last_toucher=rng.integers(-1, cars, arenas),
        last_toucher_of=_touchers(rng, arenas, blue, orange),
        kickoff=_coin(rng, (arenas,)),
        goal=goal,
        ball_position=ball,
        ball_velocity=_box(rng, (arenas,), [3400, 3400, 3400]),
        ball_angular_velocity=_box(rng, (arenas,), [3, 3, 3]),
        position=_place(rng, shape, [4000, 5000, 1900]),
        velocity=_box(rng, shape, [1300, 1300, 1300]),
        angular_velocity=_box(rng, shape, [3, 3, 3]),
        forward=forward,
        up=up,
        boost=_range(rng, shape, 100),
        demo_respawn_timer=demo,
        handbrake=_range(rng, shape, 1),
        air_time_since_jump=air_time,
        flip_time=flip_time,
        on_ground=on_ground,
        is_flipping=flags["has_flipped"] & (flip_time < 0.65),
        can_flip=~on_ground & ~flags["is_holding_jump"] & has_flip,
        touches=rng.integers(0, 3, shape).astype(np.int16),
        touch_height=_range(rng, shape, 2000),
        shots=_coin(rng, shape, 0.1),
        saves=_coin(rng, shape, 0.1),
        demos=_coin(rng, shape, 0.1),
        demoed=_coin(rng, shape, 0.1),
        pad_picked=np.where(_coin(rng, shape, 0.2), rng.integers(0, 34, shape), -1),
        boost_gained=_range(rng, shape, 100),
        pad_timers=np.where(_coin(rng, (arenas, 34)), rng.uniform(0, 10, (arenas, 34)), 0).astype(np.float32),
        previous_actions=rng.choice([-1, 0, 1], (*shape, 8)).astype(np.float32),
        _contacts=Contacts(
            np.where(on_ground, rng.integers(3, 5, shape), rng.integers(0, 3, shape)).astype(np.int8),
            _normals(rng, flags["world_contact"]),
        ),
        **flags,
    )


def _touchers(rng: np.random.Generator, arenas: int, blue: int, orange: int) -> np.ndarray:
    """A car of each team, or −1."""
    return np.stack(
        [rng.choice([-1, *range(blue)], arenas), rng.choice([-1, *range(blue, blue + orange)], arenas)], axis=1
    ).astype(np.int64)


def counterparts(state: GameState) -> list[int]:
    """For each car of `turned(state)`, the car of `state` whose place it takes."""
    return [*range(state.blue, state.cars), *range(state.blue)]


def turned(state: GameState) -> GameState:
    """The same game, the field turned by 180° and the teams swapped."""
    order = counterparts(state)
    per_car = {
        name: getattr(state, name)[:, order]
        for name in GameState.__slots__
        if name not in ("pad_timers", "pad_picked", "last_toucher_of")
        and np.ndim(getattr(state, name)) >= 2
        and np.shape(getattr(state, name))[1] == state.cars
    }
    for name in ("position", "velocity", "angular_velocity", "forward", "up"):
        per_car[name] = per_car[name] * TURN
    # with three cars a ball's [K, 3] looks like a field per car: `world` comes last and puts it right
    balls = ("ball_position", "ball_velocity", "ball_angular_velocity")
    world = {name: getattr(state, name) * TURN for name in balls}
    toucher = np.array([-1 if i < 0 else order.index(i) for i in state.last_toucher.tolist()])
    return replace(
        state,
        **{**per_car, **world},
        blue=state.orange,
        orange=state.blue,
        team=np.repeat(np.array([0, 1], np.int8), [state.orange, state.blue]),
        team_sign=np.repeat(np.array([1, -1], np.float32), [state.orange, state.blue]),
        goal=-state.goal,
        last_toucher=toucher,
        last_toucher_of=np.array(
            [[-1 if i < 0 else order.index(i) for i in row] for row in state.last_toucher_of[:, ::-1].tolist()]
        ),
        _contacts=None
        if state._contacts is None
        else Contacts(state.contacts.wheels[:, order], state.contacts.normal[:, order] * TURN),
        pad_timers=np.ascontiguousarray(state.pad_timers[:, ::-1]),
        pad_picked=np.where(state.pad_picked < 0, -1, 33 - state.pad_picked)[:, order],
    )


def mirrored(state: GameState) -> GameState:
    """The same game as a mirror in the plane x = 0 shows it; cars keep their places."""
    flip = np.array([-1, 1, 1], np.float32)
    vectors = ("ball_position", "ball_velocity", "position", "velocity", "forward", "up")
    spins = ("ball_angular_velocity", "angular_velocity")  # a right-handed screw becomes a left-handed one
    pads = np.array(PAD_POSITIONS)
    partner = np.linalg.norm(pads[:, None] - pads * flip, axis=-1).argmin(axis=1)
    return replace(
        state,
        **{name: getattr(state, name) * flip for name in vectors},
        **{name: getattr(state, name) * -flip for name in spins},
        _contacts=None if state._contacts is None else Contacts(state.contacts.wheels, state.contacts.normal * flip),
        pad_timers=np.ascontiguousarray(state.pad_timers[:, partner]),
        pad_picked=np.where(state.pad_picked < 0, -1, partner[state.pad_picked]),
        previous_actions=mirrored_controls(state.previous_actions),
    )


def mirrored_controls(controls: Float) -> Float:
    """[…, 8] with left and right exchanged."""
    sided = [name in ("steer", "yaw", "roll") for name in CONTROLS]
    return np.where(sided, -controls, controls)


def as_rlgym(state: GameState, arena: int) -> RlgymState[str]:
    """One arena as RLGym's own GameState; agents are named by car number, in car order."""
    game: Any = RlgymState()
    game.tick_count = int(state.tick[arena])
    game.goal_scored = bool(state.goal[arena])
    game.ball = _physics(state.ball_position, state.ball_velocity, state.ball_angular_velocity, arena)
    game.boost_pad_timers = state.pad_timers[arena].copy()
    game.cars = {str(car): _car(state, (arena, car)) for car in range(state.cars)}
    return game


def _car(state: GameState, at: tuple[int, int]) -> Car[str]:
    car: Any = Car()
    car.team_num = int(state.team[at[1]])
    car.physics = _physics(state.position, state.velocity, state.angular_velocity, at)
    forward, up = state.forward[at], state.up[at]
    car.physics.rotation_mtx = np.stack([forward, np.cross(up, forward), up], axis=1)
    for name in ("has_jumped", "is_jumping", "has_flipped", "has_double_jumped", "is_holding_jump"):
        setattr(car, name, bool(getattr(state, name)[at]))
    for name in ("demo_respawn_timer", "handbrake", "air_time_since_jump", "flip_time"):
        setattr(car, name, float(getattr(state, name)[at]))
    car.on_ground = bool(state.on_ground[at])
    car.boost_amount = float(state.boost[at])
    car.boost_active_time = float(state.is_boosting[at])
    car.supersonic_time = float(state.is_supersonic[at])
    car.ball_touches = int(state.touches[at])
    return car


def _physics(position: Float, velocity: Float, spin: Float, at: int | tuple[int, int]) -> PhysicsObject:
    body: Any = PhysicsObject()
    body.position, body.linear_velocity, body.angular_velocity = position[at], velocity[at], spin[at]
    return body


def _box(rng: np.random.Generator, shape: tuple[int, ...], half: list[float]) -> Float:
    return rng.uniform(-np.array(half), half, (*shape, 3)).astype(np.float32)


def _place(rng: np.random.Generator, shape: tuple[int, ...], half: list[float]) -> Float:
    """Above the floor."""
    places = _box(rng, shape, half)
    places[..., 2] = np.abs(places[..., 2])
    return places


def _range(rng: np.random.Generator, shape: tuple[int, ...], high: float) -> Float:
    return rng.uniform(0, high, shape).astype(np.float32)


def _coin(rng: np.random.Generator, shape: tuple[int, ...], p: float = 0.5) -> np.ndarray:
    return rng.random(shape) < p


def _normals(rng: np.random.Generator, touching: np.ndarray) -> Float:
    normals, _ = _directions(rng, touching.shape)
    return np.where(touching[..., None], normals, np.float32(0))


def _directions(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Float, Float]:
    forward = rng.normal(size=(*shape, 3))
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    up = np.cross(forward, rng.normal(size=(*shape, 3)))
    up /= np.linalg.norm(up, axis=-1, keepdims=True)
    return forward.astype(np.float32), up.astype(np.float32)
