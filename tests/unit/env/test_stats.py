"""Figures of a report that need more than a sum: kickoff touches, own goals, boost spent, first episodes; only the learners' cars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.stats import BoostSpent, GoalCounts, KickoffTouches
from rltui.registry import Component
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.batches import new_out, spec
from tests.fakes.collisions import passing, ramming
from tests.fakes.game_states import random_state
from tests.fakes.tables import FULL_BOOST, IDLE


def quiet(arenas: int, blue: int = 1, orange: int = 1) -> GameState:
    """Kickoffs in which nothing has happened yet."""
    state = random_state(np.random.default_rng(0), arenas, blue, orange)
    state.kickoff[:], state.goal[:], state.tick[:], state.touches[:] = True, 0, 0, 0
    return state


def run(kickoffs: KickoffTouches, steps: int) -> None:
    for _ in range(steps):
        kickoffs.step()


def test_a_kickoff_is_decided_by_a_touch_ten_seconds_or_the_end() -> None:
    state = quiet(4)
    state.kickoff[3] = False
    kickoffs = KickoffTouches(state, slice(2), 8)
    kickoffs.begin(np.arange(4))
    run(kickoffs, 3)
    assert (kickoffs.decided, kickoffs.touched) == (0, 0)
    state.touches[[0, 3], 1] = 1
    run(kickoffs, 2)
    assert (kickoffs.decided, kickoffs.touched) == (1, 1)  # once
    kickoffs.end(np.array([1, 3]))
    assert (kickoffs.decided, kickoffs.touched) == (2, 1)
    state.touches[:] = 0
    run(kickoffs, 144)
    assert kickoffs.decided == 2  # 149 steps, 9.93 s
    run(kickoffs, 1)
    assert (kickoffs.decided, kickoffs.touched) == (3, 1)
    state.touches[2] = 1
    run(kickoffs, 1)
    assert (kickoffs.decided, kickoffs.touched) == (3, 1)


def test_a_report_in_the_middle_leaves_a_kickoff_open() -> None:
    state = quiet(1)
    kickoffs = KickoffTouches(state, slice(2), 8)
    kickoffs.begin(np.arange(1))
    run(kickoffs, 3)
    kickoffs.clear()
    state.touches[0, 0] = 1
    run(kickoffs, 1)
    assert (kickoffs.decided, kickoffs.touched) == (1, 1)


def test_a_scripted_opponents_touch_decides_no_kickoff() -> None:
    state = quiet(1)
    kickoffs = KickoffTouches(state, slice(1), 8)
    kickoffs.begin(np.arange(1))
    state.touches[0, 1] = 1
    run(kickoffs, 150)
    assert (kickoffs.decided, kickoffs.touched) == (1, 0)


def test_whose_goal_it_was(subtests: pytest.Subtests) -> None:
    """(scored, conceded, own), as the learners see it."""
    for teams, learners, goal, toucher, counts in (
        ((1, 1), 2, 1, 0, (1, 1, 0)),
        ((1, 1), 2, 1, 1, (1, 1, 1)),
        ((1, 1), 2, -1, 0, (1, 1, 1)),
        ((1, 1), 2, -1, -1, (1, 1, 0)),
        ((1, 1), 1, 1, 0, (1, 0, 0)),  # orange is scripted
        ((1, 1), 1, 1, 1, (1, 0, 0)),  # its own goal is ours, and not counted as one
        ((1, 1), 1, -1, 1, (0, 1, 0)),
        ((1, 1), 1, -1, 0, (0, 1, 1)),
        ((1, 0), 1, -1, 0, (0, 1, 1)),
        ((1, 0), 1, 1, 0, (1, 0, 0)),
        ((2, 2), 4, -1, 1, (1, 1, 1)),
        ((2, 2), 4, -1, 2, (1, 1, 0)),
        ((2, 2), slice(2, 4), -1, 3, (1, 0, 0)),  # orange alone
        ((2, 2), slice(2, 4), 1, 2, (0, 1, 1)),
        ((2, 2), slice(2, 4), 1, 0, (0, 1, 0)),
    ):
        with subtests.test(teams=teams, learners=learners, goal=goal, toucher=toucher, counts=counts):
            state = quiet(1, *teams)
            goals = GoalCounts(state, slice(learners) if isinstance(learners, int) else learners)
            state.last_toucher[0] = toucher
            goals.step()
            state.goal[0] = goal
            goals.step()
            assert (goals.scored, goals.conceded, goals.own) == counts


def test_a_ball_in_the_net_counts_once_until_it_comes_out_or_a_new_episode_begins() -> None:
    state = quiet(2)
    goals = GoalCounts(state, slice(2))
    state.goal[:] = [1, -1]
    for _ in range(3):
        goals.step()
    assert goals.scored == 2
    goals.begin(np.array([0]))
    goals.step()
    assert goals.scored == 3
    state.goal[1] = 0
    goals.step()
    state.goal[1] = -1
    goals.step()
    assert goals.scored == 4


def drained(spent: BoostSpent, arenas: ArenaBatch) -> float:
    amount = spent.drain(arenas.totals.boost_received)
    arenas.totals.clear(slice(None))
    return amount


def spent_in(setup: ArenaSetup, rows: list[int], steps: int) -> tuple[float, Any]:
    arenas = batch(teams=(len(setup.position), 0))
    spent = BoostSpent(arenas.state, slice(len(setup.position)))
    arenas.reset([0], [setup])
    spent.begin(np.array([0]))
    for _ in range(steps):
        arenas.step(np.array([rows]))
    return drained(spent, arenas), arenas


def test_boost_spent_is_what_was_burnt_with_pickups_in_between() -> None:
    """One second, less the first tick, which plays the reset's controls."""
    amount, arenas = spent_in(passing(0, 60.0), [FULL_BOOST], 15)
    assert amount == pytest.approx(33.3 * 119 / 120, abs=1e-3)
    assert arenas.state.boost[0, 0] == pytest.approx(60 + 12 - amount, abs=1e-3)
    assert spent_in(passing(0, 60.0), [IDLE], 15)[0] == 0.0


def test_boost_spent_goes_on_over_reports_and_ends() -> None:
    arenas = batch()
    spent = BoostSpent(arenas.state, slice(1))
    setup = flat_setup([(0, 0, 800)], ball=(0, 4000, 93.15))
    parts = []
    for _ in range(2):
        arenas.reset([0], [setup])
        spent.begin(np.array([0]))
        for step in range(6):
            arenas.step(np.array([[FULL_BOOST]]))
            if step == 2:
                parts.append(drained(spent, arenas))
        spent.end(np.array([0]))
    parts.append(drained(spent, arenas))
    tick = 33.3 / 120
    assert parts == pytest.approx([23 * tick, 47 * tick, 24 * tick], abs=1e-3)


def test_a_respawn_is_neither_spent_nor_gained(subtests: pytest.Subtests) -> None:
    """The victim never boosts; whatever it has, it comes back with 33.3."""
    for boost in (10.0, 80.0):
        with subtests.test(boost=boost):
            arenas, setup = batch(teams=(1, 1)), ramming()
            setup.boost[:] = [100.0, boost]
            spent = BoostSpent(arenas.state, slice(2))
            arenas.reset([0], [setup])
            spent.begin(np.array([0]))
            gained, demolished = 0.0, False
            for _ in range(70):
                demolished |= bool(arenas.state.demo_respawn_timer.any())
                arenas.step(np.array([[IDLE if demolished else FULL_BOOST, IDLE]]))
                gained += float(arenas.state.boost_gained.sum())
            assert demolished
            assert not arenas.state.demo_respawn_timer.any()
            assert arenas.state.boost[0, 1] == pytest.approx(33.3, abs=0.1)
            assert drained(spent, arenas) == pytest.approx(100 + gained - arenas.state.boost[0, 0], abs=1e-3)


def test_a_wreck_is_not_in_the_air() -> None:
    env = SoccarBatch(spec(), 1, [0])
    counted = np.zeros(2, np.int64)  # cars in the air; wrecks on the ground

    def count(*_: object) -> None:
        wreck = env.state.demo_respawn_timer > 0
        counted[:] += np.count_nonzero(~env.state.on_ground & ~wreck), np.count_nonzero(env.state.on_ground & wreck)

    env.on_judged = count
    env.reset(new_out(env))
    env._sim.reset([0], [ramming()])
    for _ in range(30):
        env.step(np.array([[FULL_BOOST, IDLE]]), new_out(env))
    assert env.drain_stats().airborne == counted[0] and counted[1] > 10


def test_first_episodes_are_counted_until_the_longest_has_ended() -> None:
    """Arena 0 is made to have lasted longer than the others: its first episode ends first, by the timeout of 2 s."""
    env = SoccarBatch(spec(terminals=(Component("timeout", {"seconds": 2.0}),)), 3, [1])
    out = new_out(env)
    env.reset(out)
    env.state.tick[0] += 120
    counted = []
    for _ in range(30 + 30):
        env.step(np.full((3, env.learners), IDLE), out)
        stats = env.drain_stats()
        counted.append((stats.first_episodes, stats.arenas))
    assert counted[:14] == [(3, 3)] * 14  # 14 steps of 8 ticks are 112, 120 wanted
    assert counted[14:29] == [(2, 3)] * 15
    assert counted[29:] == [(0, 3)] * 31, "later episodes are nobody's first"
