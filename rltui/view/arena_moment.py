"""A Moment straight from one of the simulator's arenas, between the steps of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rltui.events.match_frames import CarMoment, Moment, Vector
from rltui.sim.arena import SoccarArena
from rltui.sim.field import CONTROLS
from rltui.sim.recorded_states import FLOOR_Z


def arena_moment(
    arena: SoccarArena,
    *,
    tick: int,
    names: tuple[str, str],
    score: tuple[int, int],
    goal: int,
    touches: Sequence[int],
    trail: tuple[Vector, ...] = (),
) -> Moment:
    """As the arena is now. tick and touches: since the match began."""
    ball = arena.arena.ball.get_state()
    return Moment(
        tick=tick,
        names=names,
        score=score,
        goal=goal,
        ball_position=ball.pos.as_tuple(),
        ball_velocity=ball.vel.as_tuple(),
        ball_angular_velocity=ball.ang_vel.as_tuple(),
        cars=tuple(_car(car, count) for car, count in zip(arena.cars, touches, strict=True)),
        pad_timers=tuple(_timer(pad.get_state()) for pad in arena.pad_index),
        trail=trail,
    )


def _car(car: Any, touches: int) -> CarMoment:
    state, controls = car.get_state(), car.get_controls()
    return CarMoment(
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
