"""GameState against the simulator, asked slowly field by field, as RLGym asks it: random games of all team sizes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.resets.standard import RandomReset
from tests.fakes.arenas import ROWS, batch
from tests.fakes.game_states import TEAM_SIZES
from tests.fakes.tables import FULL_BOOST


def check_car(arenas: ArenaBatch, arena: int, car: int) -> None:
    truth, state = arenas._arenas[arena].cars[car].get_state(), arenas.state

    def ours(name: str) -> object:
        return getattr(state, name)[arena, car].tolist()

    assert ours("position") == list(truth.pos.as_tuple())
    assert ours("velocity") == list(truth.vel.as_tuple())
    assert ours("angular_velocity") == list(truth.ang_vel.as_tuple())
    assert ours("forward") == list(truth.rot_mat.forward.as_tuple())
    assert ours("up") == list(truth.rot_mat.up.as_tuple())
    assert ours("boost") == truth.boost
    assert ours("handbrake") == truth.handbrake_val
    assert ours("demo_respawn_timer") == truth.demo_respawn_timer
    assert ours("air_time_since_jump") == truth.air_time_since_jump
    assert ours("flip_time") == truth.flip_time
    on_ground = sum(truth.wheels_with_contact) >= 3
    has_flip = not truth.has_double_jumped and not truth.has_flipped and truth.air_time_since_jump < 1.25
    assert ours("on_ground") == on_ground
    assert ours("is_boosting") == (truth.time_spent_boosting > 0)
    assert ours("is_supersonic") == (truth.supersonic_time > 0)
    assert ours("is_holding_jump") == truth.last_controls.jump
    assert ours("has_jumped") == truth.has_jumped
    assert ours("is_jumping") == truth.is_jumping
    assert ours("has_flipped") == truth.has_flipped
    assert ours("is_flipping") == (truth.has_flipped and truth.flip_time < 0.65)
    assert ours("has_double_jumped") == truth.has_double_jumped
    assert ours("can_flip") == (not on_ground and not truth.last_controls.jump and has_flip)
    touches_world = truth.has_world_contact and not truth.is_demoed
    assert ours("world_contact") == touches_world
    wheels = 0 if truth.is_demoed else sum(truth.wheels_with_contact)
    normal = truth.world_contact_normal.as_tuple() if touches_world else (0.0, 0.0, 0.0)
    assert state.contacts.wheels[arena, car] == wheels
    assert tuple(state.contacts.normal[arena, car].tolist()) == normal
    assert arenas.contact(arena, car) == (wheels, normal)


def check(arenas: ArenaBatch) -> None:
    state = arenas.state
    for arena, simulated in enumerate(arenas._arenas):
        ball = simulated.arena.ball.get_state()
        assert state.ball_position[arena].tolist() == list(ball.pos.as_tuple())
        assert state.ball_velocity[arena].tolist() == list(ball.vel.as_tuple())
        assert state.ball_angular_velocity[arena].tolist() == list(ball.ang_vel.as_tuple())
        assert state.pad_timers[arena].tolist() == [pad.get_state().cooldown for pad in simulated.pad_index]
        beyond = int(ball.pos.y > 5215.5) - int(ball.pos.y < -5215.5)
        assert state.goal[arena] == beyond
        for car in range(state.cars):
            check_car(arenas, arena, car)


@settings(max_examples=6, deadline=None)
@given(
    teams=st.sampled_from(TEAM_SIZES),
    pace=st.sampled_from([Pace(8, 1), Pace(8, 0), Pace(4, 4), Pace(6, 2)]),
    seed=st.integers(0, 2**32 - 1),
)
def test_state_is_the_simulators(teams: tuple[int, int], pace: Pace, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arenas = batch(arenas=2, teams=teams, pace=pace, seed=seed, contacts=True)
    reset = RandomReset(RandomReset.Params())
    arenas.reset([0, 1], [reset.sample(rng, *teams) for _ in range(2)])
    check(arenas)
    for step in range(40):
        actions = rng.integers(0, len(ROWS), (2, sum(teams)))
        actions[rng.random(actions.shape) < 0.3] = FULL_BOOST
        arenas.step(actions)
        if step % 5 == 0:
            check(arenas)
        if step == 25:
            arenas.reset([1], [reset.sample(rng, *teams)])
            check(arenas)
