"""Environments of users' own: what an actor is given of RLGym v2, Gymnasium, and gym-style ones, against their own numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.env.collected_env import CollectedEnv, collected_env
from rltui.env.from_profile import env_spec, signature, sizes
from rltui.env.skill_metrics import skill_metrics
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.step import Finals, StepOut
from rltui.env.user_env import UserEnvSizes, described, user_env_spec
from rltui.errors import RltuiError
from rltui.events import metric_keys
from rltui.events.episode_reward import EPISODES, REWARD
from rltui.policy.saved import foreign_game
from rltui.profile.load import load
from tests.fakes.documents import snippet
from tests.fakes.user_envs import LAST, PAID

FAKES = Path(__file__).resolve().parents[2] / "fakes" / "user_envs.py"
STAY, END = 0, 1  # actions of Counting


def named(function: str) -> str:
    return f"{FAKES}:{function}"


def arenas(function: str, count: int = 2, seed: int = 0, parts: int = 1) -> tuple[CollectedEnv, StepOut]:
    """Begun, and what is seen first."""
    env = collected_env(user_env_spec(named(function)), count, (seed, 0), parts=parts)
    out = StepOut.zeros(count, env.learners, env.obs_size)
    env.reset(out)
    return env, out


def played(env: CollectedEnv, out: StepOut, steps: int, action: int = STAY) -> list[Finals]:
    chosen = np.full((env.arenas, env.learners), action, np.int64)
    return [env.step(chosen, out) for _ in range(steps)]


def test_each_kind_says_agents_numbers_and_actions(subtests: pytest.Subtests) -> None:
    for function, expected in (
        ("counting", (1, 2, 3)), ("of_rlgym_ppo", (2, 3, 4)), ("of_rlgym_sim", (2, 3, 4)), ("two_cars", (2, 4, 5)),
        ("wrapped", (2, 4, 5)),
    ):  # fmt: skip
        with subtests.test(function):
            assert described(named(function)) == UserEnvSizes(*expected)
            assert sizes(user_env_spec(named(function))).actions.outputs == expected[2]


def test_a_cut_episode_ends_with_its_true_final_observation_and_the_next_row_is_of_the_new_one() -> None:
    env, out = arenas("counting")
    assert [len(finals.arenas) for finals in played(env, out, LAST - 1)] == [0] * (LAST - 1)
    assert out.obs[:, 0, 0].tolist() == [LAST - 1] * 2
    (finals,) = played(env, out, 1)
    assert finals.arenas.tolist() == [0, 1] and finals.obs[:, 0].tolist() == [[LAST, STAY]] * 2
    assert out.truncated.all() and not out.terminated.any()
    assert out.obs[:, 0].tolist() == [[0, 0]] * 2 and out.rewards.tolist() == [[LAST]] * 2


def test_an_episode_that_terminates_with_its_last_step_is_not_bootstrapped() -> None:
    env, out = arenas("counting", count=3)
    played(env, out, LAST - 1)
    finals = env.step(np.array([[END], [STAY], [END]]), out)
    assert out.terminated.tolist() == [True, False, True] and out.truncated.tolist() == [False, True, False]
    assert finals.arenas.tolist() == [1]


def test_rows_of_two_agents_are_their_own_and_keep_what_a_reused_buffer_held(subtests: pytest.Subtests) -> None:
    for function, cut in (("of_rlgym_ppo", True), ("of_rlgym_sim", False)):
        with subtests.test(function):
            env, out = arenas(function)
            finals = [
                env.step(np.array([[2, 3], [1, 0]]), out) if step == LAST - 1 else played(env, out, 1)[0]
                for step in range(LAST)
            ]
            assert out.rewards.tolist() == [[PAID, -PAID]] * 2
            assert (out.truncated.all(), out.terminated.all()) == (cut, not cut)
            assert out.obs[0].tolist() == [[0, 0, 0], [0, 1, 0]]
            if cut:
                assert finals[-1].obs.tolist() == [[[LAST, 0, 2], [LAST, 1, 3]], [[LAST, 0, 1], [LAST, 1, 0]]]


def test_one_agent_that_ends_ends_the_episode_for_all(subtests: pytest.Subtests) -> None:
    for function in ("two_cars", "wrapped"):
        with subtests.test(function):
            env, out = arenas(function)
            played(env, out, LAST)
            assert out.terminated.all() and not out.obs.any()


def test_statistics_know_rewards_and_episodes_and_nothing_of_the_game() -> None:
    env, out = arenas("counting", count=4)
    played(env, out, 2 * LAST + 3)
    (stats,) = env.drain_stats().values()
    found = skill_metrics([stats, stats])
    assert (found[REWARD], found[EPISODES]) == (LAST * (LAST + 1) / 2, 2 * 8)
    assert not any(key.startswith("turtle/") for key in found)
    assert {metric_keys.GOALS_PER_MINUTE, metric_keys.TOUCHES_PER_MINUTE, metric_keys.AIRBORNE}.isdisjoint(found)
    assert set(env.take_timings()) == {"simulate", "reset"}
    played(env, out, 1)
    (again,) = env.drain_stats().values()
    assert (again.episodes, again.car_steps) == (0, 4)


def test_parts_are_stepped_by_themselves() -> None:
    env, _ = arenas("counting", count=3, parts=2)
    assert env.parts == [slice(0, 1), slice(1, 3)]
    late = StepOut.zeros(2, 1, 2)
    env.step(np.zeros((2, 1), np.int64), late, 1)
    assert late.obs[:, 0, 0].tolist() == [1, 1]
    first = StepOut.zeros(1, 1, 2)
    env.step(np.zeros((1, 1), np.int64), first, 0)
    assert first.obs[0, 0, 0] == 1


def test_the_same_seed_is_the_same_play_and_another_one_is_not(subtests: pytest.Subtests) -> None:
    """Of an environment that takes a seed, and of one that draws from the global generators."""
    for name in ("gymnasium:CartPole-v1", named("drawing")):
        with subtests.test(name):
            seen = []
            for seed in (3, 3, 4):
                env = collected_env(user_env_spec(name), 2, (seed,))
                out = StepOut.zeros(2, 1, env.obs_size)
                env.reset(out)
                played(env, out, 5)
                seen.append(out.obs.copy())
            assert np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])
            assert not np.array_equal(seen[0][0], seen[0][1])


def test_another_number_of_agents_in_a_later_episode_is_named() -> None:
    env, out = arenas("changing_teams")
    with pytest.raises(RltuiError, match=r"3 agents that see 4 numbers each, where the first episode had 2"):
        played(env, out, LAST)


def test_what_cannot_be_trained_in_is_said_in_a_sentence(subtests: pytest.Subtests) -> None:
    for function, message, hint in (
        ("needs_arguments", "is called without arguments: missing a required argument: 'teams'", "defaults"),
        ("inside", "has no inside at its top level", "a closure or a function inside another one"),
        ("already_made", "already_made of .* is a TwoCars, no function", "every worker"),
        ("outer().inside", "no name of a function", "lambda"),
        ("no_environment", "gave a int", "an RLGym of RLGym v2, a Gymnasium environment"),
        ("broken", r"cannot be built: ValueError: no such map \(.*user_envs.py:\d+\)", ""),
        ("continuous", r"the action space must be discrete.*Box\(-1.0, 1.0", "LookupTableAction"),
    ):
        with subtests.test(function):
            with pytest.raises(RltuiError, match=message) as raised:
                described(named(function))
            assert hint in raised.value.hint and "env" in raised.value.message


def test_the_wrapper_of_rlgym_ppo_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def build():\n    from rlgym_ppo.util import RLGymV2GymWrapper\n")
    with pytest.raises(RltuiError, match=r"cannot be built: .*No module named 'rlgym_ppo'") as raised:
        described(f"{tmp_path / 'bot.py'}:build")
    assert "return the RLGym itself, without a wrapper" in raised.value.hint


def test_what_it_prints_is_none_of_our_output(capsys: pytest.CaptureFixture[str]) -> None:
    described(named("printing"))
    out, err = capsys.readouterr()
    assert out == "" and "said while it was built" in err


def test_what_plays_our_game_refuses_it() -> None:
    spec = user_env_spec(named("counting"))
    with pytest.raises(RltuiError) as refused:
        SoccarBatch(spec, 1, [0])
    assert refused.value.message == foreign_game(spec.environment).message


def test_the_tutorial_s_environment_trains_from_a_file_of_ones_own(tmp_path: Path) -> None:
    """As the page has it: 1v1, 92 numbers, 90 actions; played with random actions until kickoffs have begun anew."""
    code = snippet("python", "def build_env")
    (tmp_path / "my_bot.py").write_text(code, encoding="utf-8")
    (tmp_path / "mine.toml").write_text('schema = 1\nenv = "my_bot.py:build_env"\n', encoding="utf-8")
    profile = load(tmp_path / "mine.toml")
    spec = env_spec(profile)
    assert described(spec.environment) == UserEnvSizes(2, 92, 90)
    assert signature(profile, spec).obs.startswith("build_env/92/"), "where the file lies is no part of what it is"
    env = collected_env(spec, 1, (0,))
    out, rng = StepOut.zeros(1, 2, 92), np.random.default_rng(0)
    env.reset(out)
    first = out.obs.copy()
    for _ in range(20):
        env.step(rng.integers(0, 90, (1, 2)), out)
    assert np.isfinite(out.obs).all() and np.isfinite(out.rewards).all() and not np.array_equal(first, out.obs)
