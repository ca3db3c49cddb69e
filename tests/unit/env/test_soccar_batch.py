"""SoccarBatch: seeds, ends of episodes and their true last observations, rewards after the terminals, statistics, bad input."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.env.turtle import TurtleStats
from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.base import Reward
from rltui.rewards.combined import RewardOptions
from rltui.rewards.sampling import sample_states
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import flat_setup
from tests.fakes.batches import new_out, spec
from tests.fakes.tables import FULL_BOOST, IDLE


class Fixed:
    """Every episode begins in the same state; each sample is counted."""

    def __init__(self, setup: ArenaSetup) -> None:
        self._setup = setup
        self.samples = 0

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        self.samples += 1
        return self._setup


def env_from(setup: ArenaSetup, arenas: int = 2, **changes: Any) -> SoccarBatch:
    env = SoccarBatch(spec(**changes), arenas, [0])
    env._resets = Fixed(setup)  # type: ignore[assignment]
    return env


def record(env: SoccarBatch, steps: int = 60, seed: int = 5) -> list[bytes]:
    """Everything that comes out over some steps of random actions."""
    rng, out = np.random.default_rng(seed), new_out(env)
    env.reset(out)
    seen = [out.obs.tobytes()]
    for _ in range(steps):
        finals = env.step(rng.integers(0, env.action_spec.outputs, (env.arenas, env.cars)), out)
        arrays = (out.obs, out.rewards, out.terminated, out.truncated, finals.arenas, finals.obs)
        seen += [array.tobytes() for array in arrays]
    return seen


def test_same_seed_same_run_and_another_seed_another() -> None:
    first, again, other = (record(SoccarBatch(spec(), 3, seed)) for seed in ([1, 2], [1, 2], [1, 3]))
    assert first == again
    assert first[0] != other[0]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) >= "2.0.0", reason="it has one way only")
def test_numbers_are_the_same_whichever_way_numpy_promotes_scalars() -> None:
    """NEP 50, which NumPy 2 has and 1.26 can be asked for: every registered reward and observation, and sampled states."""
    rewards = tuple(Weighted(Component(name), 1.0) for name in BUILT_IN["reward"])
    found = []
    for state in ("legacy", "weak"):
        np._set_promotion_state(state)
        try:
            seen = [
                record(SoccarBatch(spec(obs=Component(obs), rewards=rewards), 4, [0]), 60) for obs in BUILT_IN["obs"]
            ]
            states = sample_states(np.random.default_rng(0), 100, (1, 1), 3, contacts=True)
            found.append((seen, [(each.dtype, each.tobytes()) for each in (state.ball_position for state in states)]))
        finally:
            np._set_promotion_state("legacy")
    assert found[0] == found[1]


def test_an_arena_draws_from_a_generator_of_its_own() -> None:
    """What an arena does does not depend on how many there are."""
    three, two = (SoccarBatch(spec(), arenas, [4]) for arenas in (3, 2))
    out3, out2 = new_out(three), new_out(two)
    three.reset(out3)
    two.reset(out2)
    np.testing.assert_array_equal(out3.obs[:2], out2.obs)
    assert (out3.obs[0] != out3.obs[1]).any() and (out3.obs[0] != out3.obs[2]).any()
    for step in range(60):
        actions = np.full((3, 2), FULL_BOOST if step % 3 else IDLE)
        three.step(actions, out3)
        two.step(actions[:2].copy(), out2)
        np.testing.assert_array_equal(out3.obs[:2], out2.obs)


def test_any_team_sizes(subtests: pytest.Subtests) -> None:
    for teams in ((1, 0), (0, 1), (1, 2), (0, 3), (3, 3)):
        with subtests.test(teams=teams):
            env = SoccarBatch(spec(*teams), 2, [0])
            assert (env.cars, env.obs_size) == (sum(teams), 52 + 20 * sum(teams))
            out = new_out(env)
            env.reset(out)
            for _ in range(35):
                env.step(np.full((2, env.cars), FULL_BOOST), out)
                assert np.isfinite(out.obs).all() and np.isfinite(out.rewards).all()


def test_a_cut_episode_gives_its_true_final_observation() -> None:
    """Two seconds without a touch are 30 steps: the last one's true observation is one of a car 2 s further."""
    env = env_from(flat_setup([(0, 0, 17), (-1000, 0, 17)], ball=(0, 4000, 93.15)))
    out = new_out(env)
    env.reset(out)
    first, before = out.obs.copy(), out.obs.copy()
    for step in range(1, 31):
        before[:] = out.obs
        finals = env.step(np.array([[FULL_BOOST, IDLE], [IDLE, IDLE]]), out)
        assert not out.terminated.any()
        assert out.truncated.tolist() == [step == 30] * 2
        assert len(finals.arenas) == (2 if step == 30 else 0) == len(finals.obs)
    np.testing.assert_array_equal(out.obs, first)
    x = slice(52, 53)
    assert finals.arenas.tolist() == [0, 1]
    assert finals.obs[0, 0, x] * 2300 > 1500 and finals.obs[1, 0, x] == pytest.approx(0.0, abs=0.01)
    step_length = finals.obs[0, 0, x] - before[0, 0, x]
    assert 0 < step_length * 2300 <= 2300 / 15 + 1  # exactly one step after the last one seen


def test_final_observations_are_those_of_a_game_that_goes_on() -> None:
    """A twin without limits plays the same: where the first is cut, the twin shows what the last observation was."""
    limited, endless = SoccarBatch(spec(), 4, [8]), SoccarBatch(spec(terminals=()), 4, [8])
    out, twin = new_out(limited), new_out(endless)
    limited.reset(out)
    endless.reset(twin)
    rng, running = np.random.default_rng(0), np.ones(4, np.bool_)
    for _ in range(60):
        actions = rng.integers(0, 90, (4, 2))
        finals = limited.step(actions, out)
        endless.step(actions, twin)
        ended = out.terminated | out.truncated
        for arena, obs in zip(finals.arenas, finals.obs, strict=True):
            if running[arena]:
                np.testing.assert_array_equal(obs, twin.obs[arena])
                assert (obs != out.obs[arena]).any()
        running &= ~ended
        np.testing.assert_array_equal(out.obs[running], twin.obs[running])
    assert not running.any()


def test_a_goal_terminates_and_wins_over_the_limits() -> None:
    """The goal falls on the step that is also the last one allowed."""
    setup = flat_setup([(0, 0, 17), (-1000, 0, 17)], ball=(0, 5100, 150))
    setup.ball_velocity[1] = 1500.0
    limits = (Component("goal"), Component("timeout", {"seconds": 2 / 15}), Component("no_touch", {"seconds": 2 / 15}))
    env = env_from(setup, terminals=limits, rewards=(Weighted(Component("goal"), 10.0),))
    out = new_out(env)
    env.reset(out)
    first, idle = out.obs.copy(), np.full((2, 2), IDLE)
    env.step(idle, out)
    assert not out.terminated.any() and not out.truncated.any() and not out.rewards.any()
    finals = env.step(idle, out)
    assert out.terminated.tolist() == [True, True] and out.truncated.tolist() == [False, False]
    assert len(finals.arenas) == 0
    assert out.rewards.tolist() == [[10.0, 0.0]] * 2
    np.testing.assert_array_equal(out.obs, first)


def test_only_the_ended_arenas_begin_anew() -> None:
    env = env_from(flat_setup([(0, 0, 17), (-1000, 0, 17)], ball=(0, 4000, 93.15)), arenas=3)
    out = new_out(env)
    env.reset(out)
    env.state.last_touch_tick[1] = 80  # as if touched: its two seconds end ten steps later
    for step in range(1, 41):
        finals = env.step(np.full((3, 2), IDLE), out)
        assert finals.arenas.tolist() == {30: [0, 2], 40: [1]}.get(step, [])
        assert out.truncated.nonzero()[0].tolist() == finals.arenas.tolist()
    assert env.state.tick.tolist() == [80, 0, 80]
    assert env._resets.samples == 6  # type: ignore[attr-defined]


def test_rewards_that_remember_forget_with_the_episode() -> None:
    """The ball's velocity jumps at a reset: no reward may take that for a hit."""
    setup = flat_setup([(0, 0, 17), (-1000, 0, 17)], ball=(0, 4000, 1500))
    env = env_from(setup, rewards=(Weighted(Component("strong_hit"), 1.0),))
    out, told = new_out(env), []
    env.reset(out)
    strong_hit = env._rewards.rewards[0]
    forget = strong_hit.reset
    strong_hit.reset = lambda state, arenas: (told.append(arenas.copy()), forget(state, arenas))  # type: ignore[method-assign]
    for _ in range(30):
        env.step(np.full((2, 2), IDLE), out)
    assert [mask.tolist() for mask in told] == [[True, True]]
    np.testing.assert_array_equal(strong_hit._ball_velocity.values, env.state.ball_velocity)  # type: ignore[attr-defined]


def test_an_action_that_is_no_row_names_arena_and_car(subtests: pytest.Subtests) -> None:
    for wrong, named in ((90, "90"), (-1, "-1"), (2**40, str(2**40))):
        with subtests.test(wrong=wrong, named=named):
            env = SoccarBatch(spec(), 3, [0])
            out = new_out(env)
            env.reset(out)
            actions = np.full((3, 2), IDLE)
            actions[2, 1] = wrong
            with pytest.raises(RltuiError, match=f"arena 2, car 1: action {named} is not a row"):
                env.step(actions, out)


def test_actions_of_another_type_are_refused() -> None:
    env = SoccarBatch(spec(), 1, [0])
    out = new_out(env)
    env.reset(out)
    with pytest.raises(RltuiError, match="must be int64"):
        env.step(np.full((1, 2), 8.0), out)  # type: ignore[arg-type]


def slow_stats(env: SoccarBatch, steps: int) -> dict[str, Any]:
    """The statistics added up step by step in plain Python, from what comes out."""
    rng, out = np.random.default_rng(0), new_out(env)
    totals: dict[str, Any] = dict.fromkeys(SUMS, 0)
    running, ended = np.zeros((4, env.arenas, env.cars)), np.zeros(4)
    weights = [item.weight for item in spec().rewards]
    judges = env._rewards.rewards
    env.reset(out)
    boost, open_kickoffs = env.state.boost.copy(), env.state.kickoff.copy()
    first = np.ones(env.arenas, np.bool_)
    for _ in range(steps):
        actions = rng.integers(0, 90, (env.arenas, env.cars))
        actions[rng.random(actions.shape) < 0.7] = FULL_BOOST
        seen = watch(env)
        env.step(actions, out)
        state = seen.pop()
        values = [np.float32(w) * np.asarray(judge.value(state)) for judge, w in zip(judges, weights, strict=True)]
        np.testing.assert_allclose(out.rewards, np.sum(values, axis=0), rtol=1e-5, atol=1e-6)
        running += values
        totals["goals"] += int((state.goal != 0).sum())
        totals["conceded"] += int((state.goal != 0).sum())
        totals["touches"] += int((state.touches > 0).sum())
        totals["airborne"] += int((~state.on_ground & (state.demo_respawn_timer == 0)).sum())
        for name in ("shots", "saves", "demos"):
            totals[name] += int(getattr(state, name).sum())
        totals["boost"] += float(state.boost.sum())
        totals["boost_spent"] += float((boost + state.boost_gained - state.boost).sum())
        over = out.terminated | out.truncated
        touched = open_kickoffs & (state.touches > 0).any(axis=1)
        decided = touched | (open_kickoffs & (over | (state.tick >= 1200)))
        totals["kickoffs_touched"] += int(touched.sum())
        totals["kickoffs"] += int(decided.sum())
        open_kickoffs &= ~decided
        first &= ~over
        for arena in np.flatnonzero(over):
            totals["episodes"] += 1
            totals["episode_ticks"] += int(state.tick[arena])
            ended += running[:, arena].sum(axis=1)
            running[:, arena] = 0
            open_kickoffs[arena] = env.state.kickoff[arena]
        boost = env.state.boost.copy()
    names = [item.component.name for item in spec().rewards]
    return totals | {
        "car_episodes": totals["episodes"] * env.cars,
        "arenas": env.arenas,
        "first_episodes": int(first.sum()),
        "rewards": dict(zip(names, ended.tolist(), strict=True)),
        "car_steps": steps * env.arenas * env.cars,
        "arena_steps": steps * env.arenas,
        "seconds": steps * env.arenas * 8 / 120,
    }


SUMS = ["episodes", "episode_ticks", "goals", "conceded", "own_goals", "touches", "shots", "saves", "demos", "airborne"]
SUMS += ["boost", "boost_spent", "kickoffs", "kickoffs_touched", "fallbacks"]


def watch(env: SoccarBatch) -> list[Any]:
    """Receives a copy of the state as the rewards see it in the next step."""
    import copy

    seen: list[Any] = []
    value = env._rewards.__class__.value.__get__(env._rewards)

    def spy(state: Any, out: Any, contributions: Any) -> None:
        seen.append(copy.deepcopy(state))
        value(state, out, contributions)

    env._rewards.value = spy  # type: ignore[method-assign]
    return seen


def test_statistics_are_the_plain_sums() -> None:
    limits = (Component("goal"), Component("no_touch", {"seconds": 3.0}), Component("timeout", {"seconds": 4.0}))
    env = SoccarBatch(spec(terminals=limits), 4, [3])
    expected = slow_stats(env, 180)
    got = asdict(env.drain_stats())
    assert got["episodes"] > 8 and got["touches"] > 0 and 0 < got["airborne"] < got["car_steps"]
    assert 0 < got["kickoffs_touched"] < got["kickoffs"] and got["boost_spent"] > 100
    assert got.pop("rewards") == pytest.approx(expected.pop("rewards"), rel=1e-5)
    assert not got.pop("measures") and got.pop("of_game")
    assert got.pop("turtles")["events"] >= 0 and not got.pop("against")  # counted in test_turtle, test_frozen_opponents
    assert got == pytest.approx(expected, rel=1e-5)
    empty = env.drain_stats()
    assert (empty.episodes, empty.car_steps, empty.boost, sum(empty.rewards.values())) == (0, 0, 0.0, 0.0)
    assert (empty.touches, empty.kickoffs, empty.boost_spent, empty.turtles) == (0, 0, 0.0, TurtleStats())


def test_a_reward_of_weight_0_is_measured_of_those_who_learn_and_pays_nothing() -> None:
    """Blue alone learns; whatever the mode makes of the category."""
    names, paid = ("face_ball", "speed_toward_ball"), Weighted(Component("touch"), 1.0)
    rewards = (*(Weighted(Component(name), 0.0) for name in names), paid)
    options = RewardOptions("sparse", team_spirit=0.5)
    env = SoccarBatch(spec(rewards=rewards, reward_options=options, opponent=Component("chaser")), 3, [3])
    without = SoccarBatch(spec(rewards=(paid,), reward_options=options, opponent=Component("chaser")), 3, [3])
    twins: list[Reward] = [build("reward", Component(name)) for name in names]
    expected = np.zeros(2)

    def judged(rewards: Any, contributions: Any) -> None:
        np.add(expected, [twin.value(env.state)[:, :1].sum() for twin in twins], out=expected)

    env.on_judged = judged
    out, same = new_out(env), new_out(without)
    env.reset(out)
    without.reset(same)
    for _ in range(70):
        for batch, written in ((env, out), (without, same)):
            batch.step(np.full((3, 1), FULL_BOOST), written)
        np.testing.assert_array_equal(out.rewards, same.rewards)
    stats = env.drain_stats()
    assert stats.episodes and stats.measures == pytest.approx(dict(zip(names, expected, strict=True)), rel=1e-5)
    assert without.drain_stats().measures == {} and set(env.drain_stats().measures.values()) == {0.0}


def test_a_scripted_opponents_deeds_are_not_the_bots() -> None:
    """Orange drives to the ball and burns boost; blue, who learns, stands still."""
    env = env_from(flat_setup([(0, -3000, 17), (0, 1500, 17)]), opponent=Component("chaser"))
    out = new_out(env)
    env.reset(out)
    touched = 0
    for _ in range(60):
        env.step(np.full((2, 1), IDLE), out)
        touched += np.count_nonzero(env.state.touches)
    stats = env.drain_stats()
    assert touched and stats.car_steps == 2 * 60
    assert (stats.touches, stats.boost_spent, stats.demos) == (0, 0.0, 0)


def test_turtles_are_followed_within_episodes() -> None:
    """Idle cars on their roofs, cut after two seconds; in the step after that they lie there again."""
    setup = flat_setup([(0, 0, 39.64), (-1000, 0, 39.64)], ball=(0, 4000, 93.15))
    setup.rotation[:] = np.diag([1.0, -1.0, -1.0])
    env = env_from(setup)
    out = new_out(env)
    env.reset(out)
    for _ in range(30):
        env.step(np.full((2, 2), IDLE), out)
    assert env.drain_stats().turtles == TurtleStats(events=4, censored=4)
    env.step(np.full((2, 2), IDLE), out)
    assert env.drain_stats().turtles == TurtleStats(events=4)


def test_timings_cover_the_step_and_start_again() -> None:
    import time

    env = SoccarBatch(spec(), 8, [0])
    out = new_out(env)
    env.reset(out)
    began = time.perf_counter()
    for _ in range(40):
        env.step(np.full((8, 2), FULL_BOOST), out)
    spent = time.perf_counter() - began
    parts = env.timings.take()
    assert set(parts) == {"simulate", "state", "reward", "reset", "observe"}
    assert all(seconds > 0 for seconds in parts.values())
    assert 0.8 * spent < sum(parts.values()) < spent
    assert not any(env.timings.take().values())


def test_a_spec_that_cannot_be_says_why(subtests: pytest.Subtests) -> None:
    for changes, words in (
        ({"blue": 4}, "0 to 3 cars a team"),
        ({"blue": 0, "orange": 0}, "0 to 3 cars a team"),
        ({"tick_skip": 0}, "tick_skip at least 1"),
        ({"action_delay_ticks": 9}, "from 0 to tick_skip = 8, found 9"),
        ({"resets": ()}, "resets with weights"),
        ({"meshes": "/nowhere"}, "/nowhere/soccar"),
        ({"obs": Component("defualt")}, "unknown obs 'defualt'"),
    ):
        with subtests.test(changes=changes, words=words), pytest.raises(RltuiError, match=words):
            SoccarBatch(spec(**changes), 1, [0])


def test_no_arenas_is_an_error() -> None:
    with pytest.raises(RltuiError, match="at least one arena"):
        SoccarBatch(spec(), 0, [0])


def test_observations_are_written_where_the_caller_says() -> None:
    """A row of a rollout: not contiguous as a whole, and its neighbours stay as they are."""
    env = SoccarBatch(spec(), 2, [0])
    block = np.full((4, 2, 2, env.obs_size), 7.0, np.float32)
    out = new_out(env)
    env.reset(replace(out, obs=block[1]))
    env.step(np.full((2, 2), IDLE), replace(out, obs=block[2]))
    assert (block[0] == 7).all() and (block[3] == 7).all() and not (block[1:3] == 7).all(axis=(1, 2, 3)).any()


CODE = """
import sys
import numpy as np
from tests.fakes.batches import new_out, spec
from rltui.env.soccar_batch import SoccarBatch
env = SoccarBatch(spec(), 1, [0])
out = new_out(env)
env.reset(out)
env.step(np.zeros((1, 2), np.int64), out)
print(*sorted({"torch", "textual", "pydantic", "rlgym.api", "rlgym.rocket_league.sim"} & set(sys.modules)))
"""


def test_a_running_environment_has_no_torch_no_textual_no_rlgym() -> None:
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False, cwd=root
    )
    assert (ran.returncode, ran.stdout.split()) == (0, []), ran.stderr


OWN = """
import numpy as np
from rltui.rewards.base import Reward

class AtTheEnd(Reward):
    category, sign = "events", 0

    def value(self, state):
        paid = 3.0 * state.ends.terminated - 1.0 * state.ends.truncated
        return np.repeat(paid[:, None], state.cars, axis=1)
"""


def test_ends_are_known_and_an_arena_may_be_in_both(tmp_path: Path) -> None:
    """A goal in the last step: terminal wins in what learning sees, a reward is told both."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    env = SoccarBatch(
        spec(
            rewards=(Weighted(Component(f"{tmp_path / 'own.py'}:AtTheEnd"), 1.0),),
            terminals=(Component("goal"), Component("timeout", {"seconds": 1.0})),
        ),
        3,
        [0],
    )
    out = new_out(env)
    env.reset(out)
    paid = []
    for step in range(15):
        if step in (4, 14):
            arena = 0 if step == 4 else 1
            ball = env._sim._arenas[arena].arena.ball
            moved = ball.get_state()
            moved.pos.y = 5500.0
            ball.set_state(moved)
        env.step(np.full((3, 2), 8), out)
        paid.append(out.rewards[:, 0].tolist())
    assert [row for row in paid[:14] if any(row)] == [[3, 0, 0]]
    # arena 0 began anew a third of a second later; 1 scores as its time runs out, 2 only runs out of time
    assert paid[14] == [0, 2, -1]
    assert out.terminated.tolist() == [False, True, False] and out.truncated.tolist() == [False, False, True]
