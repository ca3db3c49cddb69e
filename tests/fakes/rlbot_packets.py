"""Game packets as RLBot v5 sends them, of matches played here; each tells what the game tells, and no more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from types import SimpleNamespace as Plain
from typing import Any

import numpy as np

from rltui.field import BIG_PADS, CONTROLS, PAD_POSITIONS, TICKS_PER_SECOND
from rltui.league.match_batch import MatchBatch
from rltui.policy.weights import Float
from rltui.sim.state import GameState

COUNTDOWN, KICKOFF, ACTIVE, PAUSED = 1, 2, 3, 6
ON_GROUND, JUMPING, DODGING, IN_AIR = 0, 1, 3, 4
OCTANE = Plain(length=118.00738, width=84.19941, height=36.159073)
OFFSET = Plain(x=13.87566, y=0.0, z=20.754988)
FIELD = [Plain(x=x, y=y, z=z) for x, y, z in PAD_POSITIONS]


@dataclass(frozen=True)
class Moment:
    """A packet with a copy of what it was made of. played: float32 [C, 8], what the cars play in the tick after it."""

    packet: Any
    state: dict[str, np.ndarray]
    played: Float


def moments(match: MatchBatch, ticks: int, order: Sequence[int]) -> Iterator[Moment]:
    """Before each tick of the match's first arena; a countdown before each kickoff. order: cars as the packet's players."""
    touches: list[Any] = [None] * match.state.cars
    held: Float = np.zeros((match.state.cars, 8), np.float32)
    frame = 0
    for _ in range(ticks):
        state = match.state
        fresh = state.tick[0] == 0
        if fresh:
            frame += 1
            yield Moment(packet(state, order, frame, COUNTDOWN, held, touches), _copied(state), np.zeros_like(held))
        phase = KICKOFF if state.last_toucher[0] < 0 else ACTIVE
        sent, copied = packet(state, order, frame, phase, held, touches), _copied(state)
        match.advance(1)
        held = match.controls[match.playing[0]].copy()
        yield Moment(sent, copied, held)
        frame += 1
        for car in np.flatnonzero(match.state.touches[0]):
            touches[car] = Plain(game_seconds=frame / TICKS_PER_SECOND)


def _copied(state: GameState) -> dict[str, np.ndarray]:
    arrays = {item.name: getattr(state, item.name) for item in fields(state)}
    return {name: array[0].copy() for name, array in arrays.items() if isinstance(array, np.ndarray)}


def packet(state: GameState, order: Sequence[int], frame: int, phase: int, held: Float, touches: Sequence[Any]) -> Any:
    """Of the first arena. held: [C, 8], what each car played last; touches: each car's last one."""
    ball = Plain(physics=_physics(state.ball_position[0], state.ball_velocity[0], state.ball_angular_velocity[0]))
    pads = [
        Plain(is_active=timer == 0, timer=(10.0 if pad in BIG_PADS else 4.0) - timer if timer else 0.0)
        for pad, timer in enumerate(state.pad_timers[0].tolist())
    ]
    info = Plain(frame_num=frame, match_phase=phase, seconds_elapsed=frame / TICKS_PER_SECOND)
    players = [_player(state, car, held[car], touches[car]) for car in order]
    return Plain(players=players, boost_pads=pads, balls=[ball], match_info=info)


def _player(state: GameState, car: int, held: Float, touch: Any) -> Any:
    at = (0, car)
    timer = float(state.demo_respawn_timer[at])
    flipping, grounded = bool(state.is_flipping[at]), bool(state.on_ground[at])
    air = DODGING if flipping else JUMPING if state.is_jumping[at] else ON_GROUND if grounded else IN_AIR
    *axes, jump, boost, handbrake = held.tolist()
    buttons = {"jump": jump > 0, "boost": boost > 0, "handbrake": handbrake > 0}
    body = _physics(state.position[at], state.velocity[at], state.angular_velocity[at])
    body.rotation = rotator(state.forward[at], state.up[at])
    return Plain(
        physics=body,
        hitbox=OCTANE,
        hitbox_offset=OFFSET,
        latest_touch=touch,
        air_state=air,
        demolished_timeout=timer if timer > 0 else -1.0,
        is_supersonic=bool(state.is_supersonic[at]),
        team=int(state.team[car]),
        boost=float(state.boost[at]),
        last_input=Plain(**dict(zip(CONTROLS[:5], axes, strict=True)), **buttons),
        has_jumped=bool(state.has_jumped[at]),
        has_double_jumped=bool(state.has_double_jumped[at]),
        has_dodged=bool(state.has_flipped[at]),
        dodge_elapsed=float(state.flip_time[at]),
    )


def rotator(forward: Float, up: Float) -> Any:
    """Euler angles of a body with these axes."""
    right = np.cross(up, forward)
    pitch = math.asin(max(-1.0, min(1.0, float(forward[2]))))
    return Plain(pitch=pitch, yaw=math.atan2(forward[1], forward[0]), roll=math.atan2(-right[2], up[2]))


def _physics(place: Float, velocity: Float, spin: Float) -> Any:
    location, moving, turning = (
        Plain(**dict(zip("xyz", vector.tolist(), strict=True))) for vector in (place, velocity, spin)
    )
    return Plain(location=location, velocity=moving, angular_velocity=turning, rotation=None)
