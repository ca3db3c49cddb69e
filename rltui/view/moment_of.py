"""From the arrays of a GameState with one arena to a Moment."""

from __future__ import annotations

import numpy as np

from rltui.events.match_frames import CarMoment, Moment, Vector
from rltui.sim.recorded_states import FLOOR_Z
from rltui.sim.state import Float, GameState, Int


def moment_of(
    state: GameState,
    *,
    tick: int,
    names: tuple[str, str],
    score: tuple[int, int],
    goal: int,
    controls: Float,
    touches: Int,
    trail: tuple[Vector, ...] = (),
) -> Moment:
    """A copy of the state's first arena. controls: [C, 8] being played; touches: [C] since the match began."""
    return Moment(
        tick=tick,
        names=names,
        score=score,
        goal=goal,
        ball_position=_vector(state.ball_position[0]),
        ball_velocity=_vector(state.ball_velocity[0]),
        ball_angular_velocity=_vector(state.ball_angular_velocity[0]),
        cars=_cars(state, controls, touches),
        pad_timers=tuple(state.pad_timers[0].tolist()),
        trail=trail,
    )


def _cars(state: GameState, controls: Float, touches: Int) -> tuple[CarMoment, ...]:
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
        CarMoment(
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
