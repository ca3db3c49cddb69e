"""Slow twins of the rewards that remember nothing: one car at a time, plain floats, written from the reference's words.

A twin gets all states of an episode so far, the first of which is the one that the episode began with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rltui.sim.state import GameState

Vector = Sequence[float]
Twin = Callable[[Sequence[GameState], int, int], float]  # states of the episode, arena, car

FORWARD_PADS = {0: (29, 30), 1: (3, 4)}  # the big pads on the opponents' half, by team


def of_state(twin: Callable[[GameState, int, int], float]) -> Twin:
    """A twin of the newest state alone."""
    return lambda states, k, c: twin(states[-1], k, c)


def dot(a: Vector, b: Vector) -> float:
    return math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def line(start: Vector, end: Vector) -> list[float]:
    return [float(e) - float(s) for s, e in zip(start, end, strict=True)]


def direction(start: Vector, end: Vector) -> list[float]:
    vector = line(start, end)
    return [x / max(math.hypot(*vector), 1e-9) for x in vector]


def cosine(a: Vector, b: Vector) -> float:
    return dot(direction((0, 0, 0), a), direction((0, 0, 0), b))


def norm(a: Vector) -> float:
    return math.hypot(*(float(x) for x in a))


def net(team: int, z: float = 321.39) -> tuple[float, float, float]:
    """The one that the team guards."""
    return (0.0, -6000.0 if team == 0 else 6000.0, z)


def here(state: GameState, k: int, c: int) -> bool:
    return not state.demo_respawn_timer[k, c] > 0


def airborne(state: GameState, k: int, c: int) -> bool:
    return here(state, k, c) and not state.on_ground[k, c]


def touch(state: GameState, k: int, c: int) -> float:
    return 1.0 if state.touches[k, c] >= 1 else 0.0


def goal(state: GameState, k: int, c: int) -> float:
    scoring = {1: 0, -1: 1}.get(int(state.goal[k]))
    return 1.0 if scoring == state.team[c] else 0.0


def concede(state: GameState, k: int, c: int) -> float:
    conceding = {1: 1, -1: 0}.get(int(state.goal[k]))
    return 1.0 if conceding == state.team[c] else 0.0


def scorer(state: GameState, k: int, c: int) -> float:
    return 1.0 if goal(state, k, c) and state.last_toucher_of[k, state.team[c]] == c else 0.0


def boost_pickup(state: GameState, k: int, c: int) -> float:
    return 0.0 if state.pad_picked[k, c] == -1 else 1.0


def velocity_ball_to_goal(state: GameState, k: int, c: int, z: float = 321.39) -> float:
    target = net(1 - int(state.team[c]), z)
    return dot(state.ball_velocity[k], direction(state.ball_position[k], target)) / 6000


def clipped_velocity_ball_to_floor(state: GameState, k: int, c: int) -> float:
    return max(0.0, velocity_ball_to_goal(state, k, c, 0.0))


def basic_shot(state: GameState, k: int, c: int) -> float:
    return velocity_ball_to_goal(state, k, c) if state.last_toucher[k] == c else 0.0


def basic_shot_at_the_floor(state: GameState, k: int, c: int) -> float:
    return clipped_velocity_ball_to_floor(state, k, c) if state.last_toucher[k] == c else 0.0


def velocity_player_to_ball(state: GameState, k: int, c: int) -> float:
    return dot(state.velocity[k, c], direction(state.position[k, c], state.ball_position[k])) / 2300


def speed_toward_ball(state: GameState, k: int, c: int) -> float:
    return max(0.0, velocity_player_to_ball(state, k, c))


def face_ball(state: GameState, k: int, c: int) -> float:
    return here(state, k, c) * dot(state.forward[k, c], direction(state.position[k, c], state.ball_position[k]))


def in_air(state: GameState, k: int, c: int) -> float:
    return 1.0 if airborne(state, k, c) else 0.0


def off_ground(state: GameState, k: int, c: int) -> float:
    return -in_air(state, k, c)


def negative_velocity_own_goal(state: GameState, k: int, c: int, z: float = 321.39) -> float:
    to_own = direction(state.ball_position[k], net(int(state.team[c]), z))
    return -max(0.0, dot(state.ball_velocity[k], to_own)) / 6000


def clear(state: GameState, k: int, c: int, z: float = 321.39) -> float:
    from_own = direction(net(int(state.team[c]), z), state.ball_position[k])
    return max(0.0, dot(state.ball_velocity[k], from_own)) / 6000


def liu_distance_ball_to_goal(state: GameState, k: int, c: int, z: float = 321.39) -> float:
    distance = norm(line(state.ball_position[k], net(1 - int(state.team[c]), z)))
    return math.exp(-0.5 * (distance - 971.25) / 6000)


def liu_distance_player_to_ball(state: GameState, k: int, c: int) -> float:
    distance = norm(line(state.position[k, c], state.ball_position[k]))
    return here(state, k, c) * math.exp(-0.5 * (distance - 91.25) / 2300)


def bad_orientation(state: GameState, k: int, c: int) -> float:
    if not state.world_contact[k, c] or state.on_ground[k, c] or not here(state, k, c):
        return 0.0
    up_z = state.up[k, c, 2]
    if up_z < 0:
        return -0.3
    return -0.1 if up_z < 0.75 else 0.0


def save_boost(state: GameState, k: int, c: int) -> float:
    return math.sqrt(state.boost[k, c] / 100) if here(state, k, c) else 0.0


def collect_boost(state: GameState, k: int, c: int, small: float = 1.0, big: float = 0.3) -> float:
    pad, gained = int(state.pad_picked[k, c]), float(state.boost_gained[k, c])
    if pad == -1:
        return 0.0
    if pad in (3, 4, 15, 18, 29, 30):
        return big * min(gained / 100, 1.0)
    return small * min(gained / 12, 1.0)


def collect_big_boost(state: GameState, k: int, c: int) -> float:
    return collect_boost(state, k, c, small=0.0, big=2.0)


def steal_boost(state: GameState, k: int, c: int) -> float:
    return 1.0 if state.pad_picked[k, c] in FORWARD_PADS[int(state.team[c])] else 0.0


def align_ball_goal(state: GameState, k: int, c: int, z: float = 321.39) -> float:
    team, place = int(state.team[c]), state.position[k, c]
    to_ball = line(place, state.ball_position[k])
    behind = cosine(to_ball, line(net(team, z), place))
    ahead = cosine(to_ball, line(place, net(1 - team, z)))
    return here(state, k, c) * (behind + ahead) / 2


def possession(state: GameState, k: int, c: int) -> float:
    toucher = int(state.last_toucher[k])
    return 1.0 if toucher >= 0 and state.team[toucher] == state.team[c] else 0.0


def offside(state: GameState, k: int, c: int) -> float:
    own_y, ball_y = float(state.position[k, c, 1]), float(state.ball_position[k, 1])
    beyond = own_y > ball_y if state.team[c] == 0 else own_y < ball_y
    return -1.0 if beyond and here(state, k, c) else 0.0


def in_net(state: GameState, k: int, c: int) -> float:
    return -1.0 if here(state, k, c) and not -5120 <= state.position[k, c, 1] <= 5120 else 0.0


def dribble(state: GameState, k: int, c: int) -> float:
    x, y, z = line(state.position[k, c], state.ball_position[k])
    lowest = z - 91.25
    carried = math.hypot(x, y) <= 150 and lowest >= 40.085 - 10
    return 1.0 if carried and state.on_ground[k, c] and here(state, k, c) else 0.0


def air_touch(state: GameState, k: int, c: int) -> float:
    if not airborne(state, k, c) or not state.touches[k, c]:
        return 0.0
    return float(state.ball_position[k, 2]) / 2044
