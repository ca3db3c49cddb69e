"""Scripted players: what they do on the field, blind to team, the same for the same seed; only blue learns from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.registry import BUILT_IN, Component, build
from rltui.sim.state import GameState
from tests.fakes.batches import new_out, spec
from tests.fakes.game_states import counterparts, random_state, turned
from tests.fakes.tables import IDLE

TEN_SECONDS = 150  # steps
PLAYERS = tuple(BUILT_IN["player"])


def game(opponent: str, arenas: int, seed: Sequence[int] = (0,), reset: str = "kickoff") -> SoccarBatch:
    """1v1 that nothing ends: the learner in blue, the player in orange."""
    return SoccarBatch(
        spec(
            opponent=Component(opponent),
            resets=(Weighted(Component(reset), 1.0),),
            terminals=(Component("timeout", {"seconds": 300.0}),),
        ),
        arenas,
        seed,
    )


def orange_against_idle(env: SoccarBatch, steps: int = TEN_SECONDS) -> Iterator[GameState]:
    """Play on with an idle learner; the batch's one state after each step."""
    out = new_out(env)
    env.reset(out)
    actions = np.full((env.arenas, env.learners), IDLE)
    for _ in range(steps):
        env.step(actions, out)
        yield env.state


def test_who_plays_gets_to_the_ball_from_a_kickoff_and_from_its_roof(subtests: pytest.Subtests) -> None:
    for name, reset in product(("chaser", "rule"), ("kickoff", "turtled")):
        with subtests.test(name=name, reset=reset):
            touched = np.zeros(10, np.bool_)
            for state in orange_against_idle(game(name, 10, reset=reset)):
                touched |= state.touches[:, 1] > 0
                if touched.all():
                    break
            assert touched.mean() > 0.85


def test_the_idle_one_stays_where_it_is() -> None:
    env = game("idle", 4)
    states = orange_against_idle(env, 30)
    begun = next(states).position.copy()
    *_, last = states
    np.testing.assert_allclose(last.position, begun, atol=0.1)


def test_a_seed_means_the_same_game(subtests: pytest.Subtests) -> None:
    for name in PLAYERS:
        with subtests.test(name=name):
            first, again, other = (
                [state.position.tobytes() for state in orange_against_idle(game(name, 3, (seed,)), 40)]
                for seed in (1, 1, 2)
            )
            assert first == again != other


def test_its_rows_are_controls_and_it_plays_no_others(subtests: pytest.Subtests) -> None:
    for name in PLAYERS:
        with subtests.test(name=name):
            player, rng = build("player", Component(name)), np.random.default_rng(3)
            rows = player.rows()
            assert rows.dtype == np.float32
            assert rows.shape[1:] == (8,)
            assert np.all(np.abs(rows[:, :5]) <= 1)
            assert set(np.unique(rows[:, 5:])) <= {0.0, 1.0}
            for cars in (slice(0, 2), slice(2, 5), slice(1, 2)):
                chosen = player.act(random_state(rng, 50, 2, 3), np.s_[:, cars], rng)
                assert chosen.dtype == np.int64
                assert chosen.shape == (50, cars.stop - cars.start)
                assert chosen.min() >= 0
                assert chosen.max() < len(rows)


def test_the_chaser_is_blind_to_team() -> None:
    rng = np.random.default_rng(7)
    player = build("player", Component("chaser"))
    state = random_state(rng, 300, 2, 2)
    mine, theirs = player.act(state, np.s_[:, :4], rng), player.act(turned(state), np.s_[:, :4], rng)
    np.testing.assert_array_equal(theirs, mine[:, counterparts(state)])


def test_only_blue_learns(subtests: pytest.Subtests) -> None:
    """Observations, rewards and actions are the learner's cars alone, and they are those of the same cars in a mirror game."""
    for blue, orange in ((1, 1), (2, 3)):
        with subtests.test(blue=blue, orange=orange):
            against = SoccarBatch(spec(blue, orange, opponent=Component("idle")), 3, (4,))
            mirror = SoccarBatch(spec(blue, orange), 3, (4,))
            assert (against.learners, mirror.learners) == (blue, blue + orange)
            out, all_out = new_out(against), new_out(mirror)
            against.reset(out)
            mirror.reset(all_out)
            rng = np.random.default_rng(5)
            for _ in range(45):
                actions = rng.integers(0, against.action_spec.outputs, (3, blue))
                against.step(actions, out)
                mirror.step(np.concatenate([actions, np.full((3, orange), IDLE)], axis=1), all_out)
                assert out.obs.shape == (3, blue, against.obs_size)
                np.testing.assert_array_equal(out.obs, all_out.obs[:, :blue])
                np.testing.assert_array_equal(out.rewards, all_out.rewards[:, :blue])
                np.testing.assert_array_equal(out.terminated, all_out.terminated)
