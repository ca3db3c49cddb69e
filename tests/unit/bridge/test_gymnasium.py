"""Gymnasium's environments: what its checker, its own vector environment and Stable-Baselines3 say of them; ends, seeds, opponents, errors."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import rltui.env.gymnasium
from rltui.bridge.gymnasium import SoccarEnv, SoccarVectorEnv
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from tests.fakes.bots import write_bot
from tests.fakes.documents import ROOT, TEXTS
from tests.fakes.rocketsimvis import Listener, accepted
from tests.fakes.tables import FULL_BOOST

ID = rltui.env.gymnasium.ID
IDLE = [0.0] * len(CONTROLS)
PAGE = re.findall(r"```python\n(.*?)```", TEXTS[ROOT / "docs" / "gymnasium.md"], re.DOTALL)
OWN = """
import numpy as np
from rltui.sim.resets.base import Reset
from rltui.sim.resets.standard import KickoffReset


class IntoGoal(Reset):
    def sample(self, rng, blue, orange):
        setup = KickoffReset(self.params).sample(rng, blue, orange)
        setup.kickoff = False
        setup.ball_position[:] = 0, SIDE * 5000, 150
        setup.ball_velocity[:] = 0, SIDE * 2000, 0
        return setup
"""


@pytest.fixture
def into_goal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Resets of one's own from which blue (side 1) or orange (−1) scores within three steps."""
    monkeypatch.chdir(tmp_path)

    def write(side: int) -> list[dict[str, str]]:
        (tmp_path / f"goal{side}.py").write_text(OWN.replace("SIDE", str(side)), encoding="utf-8")
        return [{"kind": f"goal{side}.py:IntoGoal"}]

    return write


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def played(env: SoccarEnv, steps: int, seed: int | None, action: Any = None) -> list[Any]:
    """All that is seen, from the reset on."""
    env.action_space.seed(0)
    seen: list[Any] = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        seen.append(env.step(env.action_space.sample() if action is None else action))
    return seen


def ended(env: SoccarEnv) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    """The last step of an episode of a car that does nothing."""
    for _ in range(300):
        step = env.step(IDLE)
        if step[2] or step[3]:
            return step
    raise AssertionError("no end")


def test_the_checker_has_nothing_to_say(listener: Listener, subtests: pytest.Subtests) -> None:
    for actions in ("continuous", "discrete"):
        with subtests.test(actions), warnings.catch_warnings():
            warnings.simplefilter("error")
            env = gymnasium.make(ID, actions=actions, settings={"render.port": listener.port})
            assert env.observation_space.shape == (180,) and env.observation_space.dtype == np.float32
            check_env(env.unwrapped)


def test_spaces_are_as_declared() -> None:
    box, rows = SoccarEnv().action_space, SoccarEnv(actions="discrete").action_space
    assert isinstance(box, gymnasium.spaces.Box) and box.shape == (8,) and set(box.low) == {-1} and set(box.high) == {1}
    assert isinstance(rows, gymnasium.spaces.Discrete) and rows.n == 90
    assert SoccarEnv(obs=None).observation_space.shape == (92,)
    assert SoccarEnv(profile="campaign").observation_space.shape == (180,)
    assert SoccarEnv(blue=3, orange=2).observation_space.shape == (180,)


def test_it_is_there_by_import_by_its_module_and_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["gymnasium.envs"]["rltui"].partition(":")
    register = getattr(importlib.import_module(module), name)
    for known in (False, True):
        if not known:
            monkeypatch.delitem(gymnasium.registry, ID)
        register()
        assert gymnasium.spec(ID).entry_point == "rltui.bridge.gymnasium:SoccarEnv"
    assert gymnasium.make(f"{module}:{ID}").unwrapped.__class__ is SoccarEnv


def test_a_missing_package_is_a_sentence_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "rltui.bridge.pettingzoo", raising=False)
    with pytest.raises(ImportError, match=r'of the extra gym: pip install -e "\.\[gym\]"'):
        importlib.import_module("rltui.bridge.pettingzoo")


def test_a_seed_says_all_in_a_used_environment_too() -> None:
    env, other = SoccarEnv(), SoccarEnv()
    first, further = played(env, 20, 3), played(env, 20, None)
    assert data_equivalence(first, played(env, 20, 3), exact=True)
    assert data_equivalence(first, played(other, 20, 3), exact=True)
    assert data_equivalence(further, played(other, 20, None), exact=True)
    assert not np.array_equal(first[0], further[0])
    assert not np.array_equal(first[0], played(other, 0, 4)[0])


def test_buttons_are_pressed_above_0_and_controls_are_in_their_order() -> None:
    """A row of the table is the same as its controls; a button at 0 is none, axes beyond 1 are 1."""
    row = played(SoccarEnv(actions="discrete"), 12, 0, FULL_BOOST)
    for jump, boost in ((0.0, 1e-3), (-1.0, 1.0)):
        controls = np.array([3.0, 0, 0, 0, 0, jump, boost, -0.5], np.float32)
        assert data_equivalence(row, played(SoccarEnv(), 12, 0, controls), exact=True)
    assert not data_equivalence(row, played(SoccarEnv(), 12, 0, np.array([1.0, 0, 0, 0, 0, 1e-3, 1, 0])))


def test_a_goal_terminates(into_goal: Any, subtests: pytest.Subtests) -> None:
    for side in (1, -1):
        with subtests.test(side):
            env = SoccarEnv(
                resets=into_goal(side), rewards={"goal": 10.0, "concede": -7.0}, render_mode="ansi", orange=0
            )
            first, _ = env.reset(seed=0)
            obs, reward, terminated, truncated, info = ended(env)
            assert (terminated, truncated, reward) == (True, False, 10.0 if side == 1 else -7.0)
            assert obs[1] * side * 2300 > 5215 > first[1] * side * 2300
            assert (info["goal"], info["is_success"], info["touched"]) == (side, side == 1, False)
            assert info["rewards"] == {"goal": max(0.0, 10.0 * side), "concede": min(0.0, 7.0 * side)}
            assert "GOAL" in env.render()
            with pytest.raises(RltuiError, match="no episode is being played"):
                env.step(IDLE)
            again, _ = env.reset()
            assert again[1] == first[1] and "GOAL" not in env.render()


def test_a_limit_truncates() -> None:
    env = SoccarEnv(terminals=[{"kind": "timeout", "seconds": 0.2}])
    for _ in range(2):
        env.reset()
        ends = [env.step(IDLE)[2:4] for _ in range(3)]
        assert ends == [(False, False), (False, False), (False, True)]


def test_many_games_are_what_gymnasium_makes_of_as_many_environments(into_goal: Any) -> None:
    """Same seeds, same actions: everything is the same, the final observations and infos of each end too."""
    game: dict[str, Any] = {
        "terminals": [{"kind": "goal"}, {"kind": "no_touch", "seconds": 1.0}],
        "resets": [*into_goal(1), {"kind": "random", "weight": 2.0}],
        "opponent": "chaser",
    }
    ours = gymnasium.make_vec(ID, num_envs=3, **game)
    theirs = SyncVectorEnv([lambda: SoccarEnv(**game)] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert isinstance(ours, SoccarVectorEnv) and ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert data_equivalence(ours.reset(seed=5), theirs.reset(seed=5), exact=True)
    ends = np.zeros(2, np.int64)
    for actions in np.random.default_rng(0).uniform(-1, 1, (60, 3, 8)).astype(np.float32):
        step = ours.step(actions)
        assert data_equivalence(step, theirs.step(actions), exact=True)
        ends += step[2].sum(), step[3].sum()
    assert ends.min() >= 3  # of both kinds
    seeds = [7, None, 5]
    assert data_equivalence(ours.reset(seed=seeds), theirs.reset(seed=seeds), exact=True)


def test_many_games_take_rows_and_are_drawn() -> None:
    envs = SoccarVectorEnv(2, render_mode="rgb_array", actions="discrete")
    envs.reset(seed=[0, 0])
    obs, *_ = envs.step(np.array([FULL_BOOST, FULL_BOOST]))
    assert np.array_equal(obs[0], obs[1])
    frames = envs.render()
    assert frames is not None and [frame.shape for frame in frames] == [(416, 608, 3)] * 2
    with pytest.raises(RltuiError, match="one for each of 2 games, found 3"):
        envs.reset(seed=[0, 1, 2])


def test_saved_bots_and_scripted_players_play_the_other_cars(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_bot(tmp_path / "bot", "quick")
    teammate, opponent = slice(72, 74), slice(112, 114)  # x and y of the first, in the observation
    game: dict[str, Any] = {"resets": [{"kind": "kickoff"}]}
    for name in (str(tmp_path / "bot"), "rule", "starter"):
        with subtests.test(name):
            seen = played(SoccarEnv(opponent=name, **game), 30, 0, IDLE)
            assert data_equivalence(seen, played(SoccarEnv(opponent=name, **game), 30, 0, IDLE), exact=True)
            assert not np.allclose(seen[0][opponent], seen[30][0][opponent], atol=0.01)
    seen = played(SoccarEnv(blue=2, teammates="chaser", **game), 30, 0, IDLE)
    assert not np.allclose(seen[0][teammate], seen[30][0][teammate], atol=0.01)
    assert np.allclose(seen[0][opponent], seen[30][0][opponent], atol=0.01)


def test_what_is_wrong_is_a_sentence_with_what_to_do(tmp_path: Path, subtests: pytest.Subtests) -> None:
    bot = str(tmp_path / "bot")
    write_bot(tmp_path / "bot", "quick")
    for keywords, said, hint in (
        ({"opponent": "chasr"}, "opponent: there is no run, checkpoint or player 'chasr'", 'did you mean "chaser"'),
        ({"opponent": "mirror"}, "opponent: 'mirror' takes two agents", "rltui.bridge.pettingzoo"),
        ({"oponent": "idle"}, "unknown keyword 'oponent'", 'did you mean "opponent"'),
        ({"opponent": bot, "blue": 2}, "observation has 112 numbers, expected 92", "blue=1, orange=1"),
        ({"opponent": bot, "settings": {"tick_skip": 4}}, "every 8 ticks, 1 late, and this game every 4", '"tick_skip": 8'),
        ({"blue": 0}, "blue: expected at least 1", ""),
        ({"blue": 4}, "environment: game.blue: out of range", ""),
        ({"rewards": {"tuch": 1.0}}, 'environment: rewards.tuch: unknown reward; did you mean "touch"', ""),
        ({"rewards": {"touch": object()}}, "rewards: expected numbers, texts", ""),
        ({"resets": ["kickoff"]}, "environment: resets[0]: wrong type", ""),
        ({"settings": {"tik_skip": 4}}, 'tik_skip: unknown key; did you mean "tick_skip"', ""),
        ({"settings": ["tick_skip"]}, "settings: expected keys of a profile", ""),
        ({"obs": "compct"}, "unknown obs 'compct'", 'did you mean "compact"'),
        ({"profile": "qick"}, 'no such profile; did you mean "quick"', ""),
        ({"actions": "box"}, 'actions: expected "continuous" or "discrete"', ""),
        ({"render_mode": "rgb"}, "unknown render_mode 'rgb'", "rgb_array"),
    ):  # fmt: skip
        with subtests.test(said), pytest.raises(RltuiError) as error:
            SoccarEnv(**keywords)  # type: ignore[arg-type]
        assert said in str(error.value)
        assert hint in "".join(getattr(error.value, "__notes__", ()))


def test_so_are_actions_that_are_none(subtests: pytest.Subtests) -> None:
    for keywords, action, said in (
        ({}, np.zeros(7), "expected 8 controls (throttle, steer, pitch, yaw, roll, jump, boost, handbrake)"),
        ({}, [np.nan] * 8, "not finite"),
        ({}, None, "expected 8 controls"),
        ({"actions": "discrete"}, 90, "action 90 is not a row"),
        ({"actions": "discrete"}, -1, "action -1 is not a row"),
        ({"actions": "discrete"}, 1.0, "expected a whole number of 0 to 89"),
        ({"actions": "discrete"}, [1, 2], "expected a whole number of 0 to 89"),
    ):
        with subtests.test(said):
            env = SoccarEnv(**keywords)
            with pytest.raises(RltuiError, match=r"call reset\(\) first|no episode"):
                env.step(action)
            env.reset()
            with pytest.raises(RltuiError) as error:
                env.step(action)
            assert said in str(error.value)


def test_human_is_rocketsimvis(listener: Listener) -> None:
    env = SoccarEnv("human", settings={"render.port": listener.port})
    env.reset(seed=0)
    env.step(IDLE)
    assert env.render() is None
    for _ in range(3):
        assert len(accepted(listener.receive())["cars"]) == 2
    env.close()
    env.close()


def test_the_page_works_as_written(subtests: pytest.Subtests) -> None:
    assert len(PAGE) == 4
    for code in PAGE[1:]:
        with subtests.test(code.splitlines()[-1]):
            exec(code, {})


@pytest.mark.slow
def test_stable_baselines3_trains_on_it() -> None:
    stable_baselines3 = pytest.importorskip("stable_baselines3", reason="stable_baselines3 is not installed")
    exec(PAGE[0].replace("1_000_000", "1").replace("256", "16"), {})
    from stable_baselines3.common.env_checker import check_env as their_check
    from stable_baselines3.common.env_util import make_vec_env

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        their_check(SoccarEnv())
    for actions in ("continuous", "discrete"):
        envs = make_vec_env(ID, 4, seed=0, env_kwargs={"actions": actions})
        model = stable_baselines3.PPO("MlpPolicy", envs, n_steps=64, batch_size=64, device="cpu", seed=0)
        before = model.policy.action_net.weight.clone()
        model.learn(1024)
        assert model.num_timesteps == 1024 and not before.equal(model.policy.action_net.weight)
