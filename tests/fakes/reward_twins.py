"""Slow twins of the rewards that look back: one car at a time, plain floats, and the whole episode read anew at every step.

A twin gets all states of an episode so far, the first of which is the one that the episode began with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rltui.sim.state import GameState

Vector = Sequence[float]
Episode = Sequence[GameState]


def dot(a: Vector, b: Vector) -> float:
    return math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def line(start: Vector, end: Vector) -> list[float]:
    return [float(e) - float(s) for s, e in zip(start, end, strict=True)]


def norm(a: Vector) -> float:
    return math.hypot(*(float(x) for x in a))


def here(state: GameState, k: int, c: int) -> bool:
    return not state.demo_respawn_timer[k, c] > 0


def airborne(state: GameState, k: int, c: int) -> bool:
    return here(state, k, c) and not state.on_ground[k, c]


def strong_hit(states: Episode, k: int, c: int, full_hit_speed: float = 2300) -> float:
    if not states[-1].touches[k, c]:
        return 0.0
    change = math.dist(states[-1].ball_velocity[k].tolist(), states[-2].ball_velocity[k].tolist())
    return math.sqrt(min(change / full_hit_speed, 1.0))


def soft_strong_hit(states: Episode, k: int, c: int) -> float:
    return strong_hit(states, k, c, full_hit_speed=9000)


def kickoff_first_touch(states: Episode, k: int, c: int) -> float:
    earlier = any(state.touches[k].any() for state in states[1:-1])
    return 1.0 if states[0].kickoff[k] and not earlier and states[-1].touches[k, c] else 0.0


def jump_shot(states: Episode, k: int, c: int) -> float:
    state = states[-1]
    jumps = [float(s.tick[k]) / 120 - float(s.air_time_since_jump[k, c]) for s in states if s.has_jumped[k, c]]
    recent = bool(jumps) and float(state.tick[k]) / 120 - jumps[-1] <= 6
    return float(state.touch_height[k, c]) / 2044 if recent and state.touches[k, c] and airborne(state, k, c) else 0.0


def basic_aerial(states: Episode, k: int, c: int) -> float:
    state = states[-1]
    to_ball = line(state.position[k, c], state.ball_position[k])
    if not airborne(state, k, c) or norm(to_ball) > 500:
        return 0.0
    grounded = [s for s in states[1:] if not airborne(s, k, c)]
    since = grounded[-1] if grounded else states[0]
    seconds = float(state.tick[k] - since.tick[k]) / 120
    velocity = state.velocity[k, c]
    value = 0.2 * min(seconds / 6, 1)
    value += 0.2 if state.forward[k, c, 2] > 0.5 else 0
    value += 0.3 if state.is_boosting[k, c] and state.boost[k, c] > 0 and velocity[2] > 0 else 0
    value += 0.3 if dot(velocity, to_ball) > 0.8 * norm(velocity) * norm(to_ball) else 0
    return min(value, 1.0)


def recovery_and_landing(states: Episode, k: int, c: int) -> float:
    falling, absent, value = False, not here(states[0], k, c), 0.0
    upright = _uprightness(states[0], k, c)
    for i in range(1, len(states)):
        state, before, last = states[i], states[i - 1], upright
        standing = state.contacts.wheels[k, c] >= 3
        new_wheels = standing and before.contacts.wheels[k, c] < 3
        new_body = state.world_contact[k, c] and not before.world_contact[k, c]
        upright = 1.0 if new_wheels else _uprightness(state, k, c)
        landing = falling and (standing or new_body)
        value = _landing(upright) if landing else _recovering(state, k, c, upright, last)
        absent = absent or not here(state, k, c)
        value = 0.0 if absent else value
        absent = absent and not (standing and here(state, k, c))
        falling = bool(state.contacts.wheels[k, c] == 0) or _turtled(state, k, c) or (falling and not landing)
    return value


def _recovering(state: GameState, k: int, c: int, upright: float, last: float) -> float:
    aloft = state.contacts.wheels[k, c] == 0 and not state.world_contact[k, c]
    return 0.3 * upright + 0.2 * max(0.0, upright - last) if aloft or _turtled(state, k, c) else 0.0


def _landing(upright: float) -> float:
    return 1 + 0.2 * upright if upright > 0.85 else -0.5 * (1 - upright)


def _uprightness(state: GameState, k: int, c: int) -> float:
    if state.world_contact[k, c]:
        return dot(state.up[k, c], state.contacts.normal[k, c])
    return float(state.up[k, c, 2])


def _turtled(state: GameState, k: int, c: int) -> bool:
    on_floor = state.world_contact[k, c] and state.contacts.normal[k, c, 2] > 0.7
    return bool(on_floor and state.contacts.wheels[k, c] <= 1 and state.up[k, c, 2] < -0.2)


def flip_reset(states: Episode, k: int, c: int) -> float:
    state, before = states[-1], states[-2]
    if not _no_flip(before, k, c) or _no_flip(state, k, c) or not here(state, k, c) or state.world_contact[k, c]:
        return 0.0
    to_ball = line(state.position[k, c], state.ball_position[k])
    if state.on_ground[k, c]:
        below = -dot(to_ball, state.up[k, c])
        return 1.0 if norm(to_ball) <= 150 and below > 0.7 * norm(to_ball) else 0.0
    return 1.0 if norm(to_ball) <= 300 and not state.has_jumped[k, c] else 0.0


def _no_flip(state: GameState, k: int, c: int) -> bool:
    used = state.has_flipped[k, c] or state.has_double_jumped[k, c]
    late = state.has_jumped[k, c] and state.air_time_since_jump[k, c] >= 1.25
    return here(state, k, c) and bool(used or late)


def wavedash(states: Episode, k: int, c: int, gain: float = 100) -> float:
    state, before = states[-1], states[-2]
    if not here(state, k, c) or not state.on_ground[k, c] or before.on_ground[k, c] or not here(before, k, c):
        return 0.0
    pressed = before.can_flip[k, c] and state.previous_actions[k, c, 5] > 0 and not state.has_jumped[k, c]
    if not before.is_flipping[k, c] and not pressed:
        return 0.0
    flat = [s for s in states[1:-1] if not (s.is_flipping[k, c] and here(s, k, c))]
    unflipped = flat[-1] if flat else states[0]
    return 1.0 if norm(state.velocity[k, c]) - norm(unflipped.velocity[k, c]) >= gain else 0.0


def strong_wavedash(states: Episode, k: int, c: int) -> float:
    return wavedash(states, k, c, gain=700)
