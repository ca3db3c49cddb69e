"""Turn the world by 180° and swap the teams: each car sees exactly what its counterpart saw. For every builder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.env.observer import Observer
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.obs.builder import ObsBuilder
from rltui.registry import BUILT_IN, Component, build
from rltui.sim.state import Float, GameState
from tests.fakes.batches import new_out, spec
from tests.fakes.every import every
from tests.fakes.game_states import TEAM_SIZES, counterparts, random_state, turned

ARENAS = 6
TIES = ("ball_position", "position")


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_counterparts_see_the_same(seed: int) -> None:
    def check(sizes: tuple[int, int]) -> None:
        assert_same(random_state(np.random.default_rng(seed), ARENAS, *sizes))

    every(TEAM_SIZES, check)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_also_where_many_things_are_equally_near(seed: int) -> None:
    """Ball and cars on a coarse grid about the centre: pads and players at equal distances everywhere."""

    def check(sizes: tuple[int, int]) -> None:
        state = random_state(np.random.default_rng(seed), ARENAS, *sizes)
        for field in TIES:
            array = getattr(state, field)
            array[..., :2] = np.round(array[..., :2] / 1024) * 1024
            array[..., 2] = 100
        assert_same(state)

    every(TEAM_SIZES, check)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES), stack=st.integers(2, 4))
def test_also_through_stacking(seed: int, sizes: tuple[int, int], stack: int) -> None:
    def check(name: str) -> None:
        rng = np.random.default_rng(seed)
        observers = [stacked(name, stack, teams) for teams in (sizes, sizes[::-1])]
        for step in range(stack + 2):
            begun = np.full(ARENAS, step == 0) | (rng.random(ARENAS) < 0.2)
            state = random_state(rng, ARENAS, *sizes)
            both = zip(observers, (state, turned(state)), strict=True)
            rows, turned_rows = (seen(observer, one, begun) for observer, one in both)
            np.testing.assert_array_equal(turned_rows, rows[:, counterparts(state)])

    every(BUILT_IN["obs"], check)


def test_both_teams_see_the_same_kickoff_in_the_simulator(subtests: pytest.Subtests) -> None:
    """Both teams' cars do the same from the kickoff on, short of the ball: only the physics' last bits may differ."""
    resets = (Weighted(Component("kickoff"), 1.0),)
    for cars in (1, 2, 3):
        env = SoccarBatch(spec(cars, cars, resets=resets), ARENAS, [cars])
        observers = {name: stacked(name, 2, (cars, cars)) for name in BUILT_IN["obs"]}
        out = new_out(env)
        env.reset(out)
        rng = np.random.default_rng(cars)
        for step in range(11):
            for name, observer in observers.items():
                with subtests.test(name=name, cars=cars, step=step):
                    obs = seen(observer, env.state, np.full(ARENAS, step == 0))
                    np.testing.assert_allclose(obs[:, :cars], obs[:, cars:], atol=2e-3 if step else 1e-6)
            rows = rng.integers(0, 90, (ARENAS, cars))
            env.step(np.concatenate([rows, rows], axis=1), out)


def assert_same(state: GameState) -> None:
    """By every builder."""
    other = turned(state)

    def check(name: str) -> None:
        obs: ObsBuilder = build("obs", Component(name))
        rows, turned_rows = observe(obs, state), observe(obs, other)
        np.testing.assert_array_equal(turned_rows, rows[:, counterparts(state)])
        assert np.isfinite(rows).all()

    every(BUILT_IN["obs"], check)


def observe(obs: ObsBuilder, state: GameState) -> Float:
    """All rows, written over NaN so that a forgotten number shows."""
    rows = np.full((state.arenas, state.cars, obs.size(state.blue, state.orange)), np.nan, dtype=np.float32)
    obs.build(state, rows)
    return rows


def stacked(name: str, stack: int, teams: tuple[int, int]) -> Observer:
    return Observer(build("obs", Component(name)), stack, ARENAS, teams)


def seen(observer: Observer, state: GameState, begun: np.ndarray) -> Float:
    """A step's rows; begun: arenas whose episode starts with it."""
    out = np.full((ARENAS, state.cars, observer.size), np.nan, dtype=np.float32)
    observer.reset(state, begun)
    observer.write(state, out)
    observer.advance(out)
    return out
