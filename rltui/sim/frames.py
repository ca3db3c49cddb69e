"""Match frames from a GameState or an arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rltui.events.match_frames import CarFrame, MatchFrame, Vector
from rltui.field import CONTROLS
from rltui.sim.arena import SoccarArena
from rltui.sim.recorded_states import FLOOR_Z
from rltui.sim.state import Float, GameState, Int


@dataclass(frozen=True)
class MatchStanding:
    """What a match knows beside its bodies, as in MatchFrame. tick: since it began."""

    tick: int
    names: tuple[str, str]
    score: tuple[int, int]
    goal: int
    trail: tuple[Vector, ...] = ()


def moment_of(state: GameState, standing: MatchStanding, controls: Float, touches: Int) -> MatchFrame:
    """A copy of the state's first arena. controls: [C, 8] being played; touches: [C] since the match began."""
    return MatchFrame(
        **vars(standing),
        ball_position=_vector(state.ball_position[0]),
        ball_velocity=_vector(state.ball_velocity[0]),
        ball_angular_velocity=_vector(state.ball_angular_velocity[0]),
        cars=_cars(state, controls, touches),
        pad_timers=tuple(state.pad_timers[0].tolist()),
    )


def _cars(state: GameState, controls: Float, touches: Int) -> tuple[CarFrame, ...]:
    body_down = state.world_contact[0] & (state.position[0, :, 2] < FLOOR_Z)
    columns = zip(
        state.team.tolist(),
        *(array[0].tolist() for array in (state.position, state.velocity, state.angular_velocity)),
        *(array[0].tolist() for array in (state.forward, state.up, state.boost, state.on_ground)),
        (state.demo_respawn_timer[0] > 0).tolist(),
        np.logical_or(state.has_flipped[0], state.has_double_jumped[0]).tolist(),
        body_down.tolist(),
        controls.tolist(),
        touches.tolist(),
        strict=True,
    )
    return tuple(
        CarFrame(
            team=team,
            position=tuple(position),
            velocity=tuple(velocity),
            angular_velocity=tuple(spin),
            forward=tuple(forward),
            up=tuple(up),
            boost=boost,
            on_ground=on_ground,
            demolished=demolished,
            flip_used=flip_used,
            body_down=down,
            controls=tuple(row),
            touches=count,
        )
        for team, position, velocity, spin, forward, up, boost, on_ground, demolished, flip_used, down, row, count in columns
    )


def _vector(row: Float) -> Vector:
    x, y, z = row.tolist()
    return x, y, z


def arena_moment(arena: SoccarArena, standing: MatchStanding, touches: Sequence[int]) -> MatchFrame:
    """As the arena is now. touches: since the match began."""
    ball = arena.arena.ball.get_state()
    return MatchFrame(
        **vars(standing),
        ball_position=ball.pos.as_tuple(),
        ball_velocity=ball.vel.as_tuple(),
        ball_angular_velocity=ball.ang_vel.as_tuple(),
        cars=tuple(_car(car, count) for car, count in zip(arena.cars, touches, strict=True)),
        pad_timers=tuple(_timer(pad.get_state()) for pad in arena.pad_index),
    )


def _car(car: Any, touches: int) -> CarFrame:
    state, controls = car.get_state(), car.get_controls()
    return CarFrame(
        team=int(car.team),
        position=state.pos.as_tuple(),
        velocity=state.vel.as_tuple(),
        angular_velocity=state.ang_vel.as_tuple(),
        forward=state.rot_mat.forward.as_tuple(),
        up=state.rot_mat.up.as_tuple(),
        boost=float(state.boost),
        on_ground=bool(state.is_on_ground),
        demolished=bool(state.is_demoed),
        flip_used=bool(state.has_flipped or state.has_double_jumped),
        body_down=bool(state.has_world_contact) and state.pos.z < FLOOR_Z,
        controls=tuple(float(getattr(controls, name)) for name in CONTROLS),
        touches=touches,
    )


def _timer(pad: Any) -> float:
    """Seconds until there is boost again."""
    return 0.0 if pad.is_active else float(pad.cooldown)
