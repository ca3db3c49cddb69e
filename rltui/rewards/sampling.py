"""Random game states to try rewards on without a simulator.

Fields agree with each other where a reward could notice (wheels and ground, touches and who touched last, goals and where
the ball is), but one state does not follow from the one before it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from rltui import field
from rltui.sim.state import Bool, Contacts, EpisodeEnds, Float, GameState, Int

FLOOR, AIR, WALL, ROOF = range(4)  # where a car is
SHARES = (0.45, 0.35, 0.1, 0.1)
ROOF_Z = 39.6  # of a car that lies on its roof
AT_BALL, IN_NET = 0.3, 0.03  # shares of cars
REACH = 250.0  # uu, of a car at the ball from it
BEHIND_GOAL_LINE = 5400.0
FASTEST_BALL = 3000.0
GOAL, TOUCH, DEMO, PICKUP = 0.1, 0.3, 0.05, 0.2  # how often
TICK_SKIP = 8
NOW = np.iinfo(np.int64).max  # a tick: whichever the state has


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
    """Ground, jumps and flips."""
    shape = where.shape
    on_ground = (where == FLOOR) | (where == WALL)
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


def sample_states(
    rng: np.random.Generator, arenas: int, teams: tuple[int, int], count: int, contacts: bool
) -> list[GameState]:
    """`count` states of `arenas` arenas: the first of an episode, then steps, of which only the last may end it.

    contacts: whether `state.contacts` is there, as for a reward that declares it.
    """
    states = [_sample(rng, arenas, teams, contacts) for _ in range(count)]
    _nothing_happened(states[0])
    for step, state in enumerate(states):
        state.tick[:] = step * TICK_SKIP
        np.minimum(state.last_touch_tick, state.tick, out=state.last_touch_tick)
        state.ends.terminated &= step == count - 1
    return states


def seal(state: GameState) -> None:
    """Writing to its arrays raises ValueError from now on: what one component changed, all others would see."""
    for holder in (state, state._contacts, state._ends):
        for each in fields(holder) if holder is not None else ():
            array = getattr(holder, each.name)
            if isinstance(array, np.ndarray):
                array.flags.writeable = False


def _sample(rng: np.random.Generator, arenas: int, teams: tuple[int, int], contacts: bool) -> GameState:
    blue, orange = teams
    shape = (arenas, blue + orange)
    team = np.repeat(np.array([0, 1], np.int8), teams)
    where = rng.choice(len(SHARES), shape, p=SHARES)
    touches = np.where(coin(rng, shape, TOUCH), rng.integers(1, 4, shape), 0).astype(np.int16)
    goal = np.where(coin(rng, (arenas,), GOAL), rng.choice([-1, 1], arenas), 0).astype(np.int8)
    ball = _ball(rng, goal)
    demo = np.where(coin(rng, shape, DEMO), rng.uniform(0, 3, shape), 0).astype(np.float32)
    return GameState(
        blue=blue,
        orange=orange,
        team=team,
        team_sign=(1 - 2 * team).astype(np.float32),
        tick=np.zeros(arenas, np.int64),
        kickoff=coin(rng, (arenas,), 0.5),
        goal=goal,
        ball_position=ball,
        ball_velocity=vectors(rng, (arenas,), FASTEST_BALL),
        ball_angular_velocity=vectors(rng, (arenas,), field.BALL_MAX_SPIN),
        demo_respawn_timer=demo,
        touches=touches,
        touch_height=np.where(touches > 0, ball[:, None, 2], np.float32(0)),
        shots=(touches > 0) & coin(rng, shape, 0.2),
        saves=(touches > 0) & coin(rng, shape, 0.2),
        demos=coin(rng, shape, DEMO),
        demoed=(demo > 0) & coin(rng, shape, 0.5),
        previous_actions=_controls(rng, shape),
        _ends=EpisodeEnds(goal != 0, np.zeros(arenas, np.bool_)),
        **_last_touches(rng, touches, blue),
        **bodies(rng, where, ball),
        **flags(rng, where, demo > 0),
        **_boost(rng, shape),
        _contacts=touching(rng, where, demo > 0) if contacts else None,
    )


def _ball(rng: np.random.Generator, goal: Any) -> Float:
    """[K, 3] in the field, a third on the ground and a third as high as on a car's roof; in the net after a goal."""
    ball = box(rng, goal.shape, (3500, 4500), (field.BALL_REST_Z, 1900))
    height = rng.integers(0, 3, goal.shape)
    ball[height == 1, 2] = field.BALL_REST_Z
    ball[height == 2, 2] = field.CAR_REST_Z + field.CAR_ROOF + field.BALL_RADIUS
    scored = goal != 0
    ball[scored] = box(rng, goal.shape, (800, 0), (field.BALL_REST_Z, 540))[scored]
    ball[scored, 1] = 5300 * goal[scored].astype(np.float32)
    return ball


def _boost(rng: np.random.Generator, shape: tuple[int, int]) -> dict[str, Any]:
    picked = np.where(coin(rng, shape, PICKUP), rng.integers(0, field.PADS, shape), -1)
    timers = np.where(coin(rng, (shape[0], field.PADS), 0.3), rng.uniform(0, 10, (shape[0], field.PADS)), 0)
    return {
        "boost": rng.uniform(0, 100, shape).astype(np.float32),
        "is_boosting": coin(rng, shape, 0.3),
        "pad_picked": picked,
        "boost_gained": np.where(picked >= 0, rng.uniform(0, 100, shape), 0).astype(np.float32),
        "pad_timers": timers.astype(np.float32),
    }


def _controls(rng: np.random.Generator, shape: tuple[int, int]) -> Float:
    """Five axes and three buttons."""
    return np.concatenate(
        [rng.integers(-1, 2, (*shape, 5)), rng.integers(0, 2, (*shape, 3))], axis=-1, dtype=np.float32
    )


def _last_touches(rng: np.random.Generator, touches: Any, blue: int) -> dict[str, Any]:
    """Of each team one car or none; the last toucher is one of the two, and one who touches now comes first."""
    arenas, cars = touches.shape
    of = np.full((arenas, 2), -1, np.int64)
    for team, members in enumerate((range(blue), range(blue, cars))):
        if members:
            now = touches[:, members].argmax(axis=1) + members.start
            of[:, team] = np.where(touches[:, members].any(axis=1), now, rng.choice([-1, *members], arenas))
    either = rng.integers(0, 2, arenas)
    one, other = of[np.arange(arenas), either], of[np.arange(arenas), 1 - either]
    touched = touches.any(axis=1)
    return {
        "last_toucher": np.where(touched, touches.argmax(axis=1), np.where(one >= 0, one, other)),
        "last_toucher_of": of,
        "last_touch_tick": np.where(touched, NOW, 0),
    }


def _nothing_happened(state: GameState) -> None:
    """The first state of an episode: no event has been yet."""
    for events in (state.touches, state.touch_height, state.shots, state.saves, state.demos, state.demoed, state.goal):
        events.fill(0)
    for cars in (state.last_toucher, state.last_toucher_of, state.pad_picked):
        cars.fill(-1)
    state.boost_gained.fill(0)
    state.previous_actions.fill(0)
    state.last_touch_tick.fill(0)
    np.clip(state.ball_position[:, 1], -4500, 4500, out=state.ball_position[:, 1])
