"""The left-right mirror image of the game: observations, action tables, the simulator itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.actions.table import mirror_rows
from rltui.env.from_profile import mirror_maps
from rltui.registry import BUILT_IN, Component, build
from rltui.sim.resets.standard import KickoffReset, RandomReset
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import ROWS, batch, flat_setup
from tests.fakes.batches import spec
from tests.fakes.every import every
from tests.fakes.game_states import TEAM_SIZES, mirrored, random_state
from tests.fakes.tables import FULL_BOOST
from tests.property.test_obs_rotation import observe, seen, stacked

ARENAS = 6
BALL = ("ball_position", "ball_velocity", "ball_angular_velocity")
MOTION = (*BALL, "position", "velocity", "angular_velocity", "forward", "up")
OBSERVATIONS = [
    *(Component(name) for name in BUILT_IN["obs"]),
    *(Component("default", {"zero_padding": padding}) for padding in (None, 0, 1, 5)),
    Component(
        "default", {"pos_coef": (0.1, 0.2, 0.3), "ang_vel_coef": 2.0, "lin_vel_coef": (1, 2, 3), "boost_coef": 3.0}
    ),
    Component("advanced_plus", {"pads": 34, "match_context": True}),
]


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_mirrored_game_is_seen_as_a_signed_permutation(seed: int) -> None:
    def check(case: tuple[Component, tuple[int, int]]) -> None:
        component, sizes = case
        obs = build("obs", component)
        state = random_state(np.random.default_rng(seed), ARENAS, *sizes)
        index, sign = obs.mirror(*sizes)
        rows, images = observe(obs, state), observe(obs, mirrored(state))
        np.testing.assert_allclose(images, rows[..., index] * sign, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal((rows[..., index] * sign)[..., index] * sign, rows)

    every([(component, sizes) for component in OBSERVATIONS for sizes in TEAM_SIZES], check)


def test_also_through_stacking() -> None:
    stack, sizes = 3, (2, 1)
    for name in BUILT_IN["obs"]:
        rng = np.random.default_rng(1)
        index, sign, _ = mirror_maps(spec(*sizes, obs=Component(name), obs_stack=stack))
        observers = [stacked(name, stack, sizes) for _ in range(2)]
        for step in range(stack + 1):
            state, begun = random_state(rng, ARENAS, *sizes), np.full(ARENAS, step == 0)
            rows, images = (seen(*each, begun) for each in zip(observers, (state, mirrored(state)), strict=True))
            np.testing.assert_allclose(images, rows[..., index] * sign, rtol=1e-5, atol=1e-5)


def image_of(setup: ArenaSetup) -> ArenaSetup:
    """The columns of a rotation are forward, right, up; the mirrored car's right is where its left was shown."""
    flip = np.array([-1, 1, 1], np.float32)
    return replace(
        setup,
        ball_position=setup.ball_position * flip,
        ball_velocity=setup.ball_velocity * flip,
        ball_angular_velocity=setup.ball_angular_velocity * -flip,
        position=setup.position * flip,
        velocity=setup.velocity * flip,
        angular_velocity=setup.angular_velocity * -flip,
        rotation=setup.rotation * flip[:, None] * np.array([1, -1, 1], np.float32),
    )


def test_the_simulator_plays_the_mirrored_game(subtests: pytest.Subtests) -> None:
    """From mirrored states with mirrored actions for 64 ticks: on the ground, in the air, into the ball. Only last bits differ."""
    partners, rng = mirror_rows(ROWS), np.random.default_rng(0)
    kickoff, anywhere = KickoffReset(KickoffReset.Params()), RandomReset(RandomReset.Params())
    at_ball = flat_setup([(-350, 40, 17), (350, -60, 17)])  # looking along +x
    for name, sample, teams in (
        ("kickoff", lambda: kickoff.sample(rng, 3, 3), (3, 3)),
        ("random", lambda: anywhere.sample(rng, 2, 1), (2, 1)),
        ("hit", lambda: at_ball, (1, 1)),
    ):
        setups = [sample() for _ in range(ARENAS)]
        arenas = batch(2 * ARENAS, teams)
        arenas.reset(range(2 * ARENAS), setups + [image_of(setup) for setup in setups])
        hits = 0
        for step in range(8):
            actions = rng.integers(0, len(ROWS), (ARENAS, sum(teams)))
            if name == "hit":
                actions[:, 0] = FULL_BOOST
            arenas.step(np.concatenate([actions, partners[actions]]))
            expected, found = mirrored(arenas.state.part(slice(ARENAS))), arenas.state.part(slice(ARENAS, 2 * ARENAS))
            hits += int(found.touches[:, 0].astype(bool).sum())
            for field in MOTION:
                with subtests.test(name=name, step=step, field=field):
                    np.testing.assert_allclose(getattr(found, field), getattr(expected, field), atol=0.01, rtol=0)
        assert hits == (ARENAS if name == "hit" else 0)
