"""PettingZoo's environment: what its tests say of it, whose side each agent sees, and errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from rltui.bridge.pettingzoo import SoccarParallelEnv
from rltui.errors import RltuiError

SHORT = [{"kind": "timeout", "seconds": 2.0}]
KICKOFF = [{"kind": "kickoff"}]


def test_its_judges_have_nothing_to_say(subtests: pytest.Subtests) -> None:
    for keywords in ({}, {"blue": 2, "actions": "discrete"}):
        with subtests.test(keywords), warnings.catch_warnings():
            warnings.simplefilter("error")
            parallel_api_test(SoccarParallelEnv(terminals=SHORT, **keywords), num_cycles=40)
    parallel_seed_test(SoccarParallelEnv, num_cycles=30)


def test_every_car_is_an_agent_and_sees_its_own_side() -> None:
    env = SoccarParallelEnv("ansi", blue=2, orange=2, resets=KICKOFF, terminals=SHORT)
    assert env.possible_agents == ["blue_0", "blue_1", "orange_0", "orange_1"]
    obs, infos = env.reset(seed=0)
    assert [*obs] == [*infos] == env.agents == env.possible_agents
    for blue, orange in (("blue_0", "orange_0"), ("blue_1", "orange_1")):
        np.testing.assert_allclose(obs[blue], obs[orange], atol=1e-6)
    idle = dict.fromkeys(env.agents, np.zeros(8))
    obs, *_ = env.step(idle | {"orange_1": np.ones(8)})
    assert obs["orange_1"][-8:].tolist() == [1.0] * 8 and not obs["blue_1"][-8:].any()
    assert "B1" in env.render() and "O2" in env.render()


def test_an_episode_ends_for_all_at_once_and_nobody_is_left() -> None:
    env = SoccarParallelEnv(terminals=SHORT)
    for seed in (0, None):
        env.reset(seed=seed)
        agents = env.agents
        for step in range(1, 31):
            obs, rewards, terminated, truncated, infos = env.step(dict.fromkeys(agents, np.zeros(8)))
            assert [*obs] == [*rewards] == [*infos] == agents
            assert [*terminated.values()] == [False] * 2 and [*truncated.values()] == [step == 30] * 2
            assert len(env.agents) == (0 if step == 30 else 2)


def test_what_is_wrong_is_a_sentence(subtests: pytest.Subtests) -> None:
    with subtests.test("keyword"), pytest.raises(RltuiError, match="unknown keyword 'opponent'"):
        SoccarParallelEnv(opponent="chaser")
    env = SoccarParallelEnv()
    env.reset()
    actions: Any
    for actions, said in (
        ({"blue_0": np.zeros(8)}, "none of orange_0"),
        ({agent: np.zeros(1) for agent in env.agents}, "8 controls"),
    ):
        with subtests.test(said), pytest.raises(RltuiError, match=said):
            env.step(actions)
