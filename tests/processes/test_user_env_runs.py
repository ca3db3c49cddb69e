"""Real runs in environments of users' own: a whole one and its resume, and one whose environment raises; serial and local
collectors are twins there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rltui.cli.profile import report
from rltui.errors import RltuiError
from rltui.events import metric_keys
from rltui.events.episode_reward import EPISODES, REWARD
from rltui.events.records import CheckpointSaved, IterationFinished, RunStarted, TableUsed, WorkerFailed, match_words
from rltui.policy.saved import load_policy, saved_game
from rltui.profile.load import load
from rltui.runs.checkpoint import POLICY_FILE
from rltui.train.collect.collector import SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.bots import write_bot
from tests.fakes.training import Training

CARTPOLE = """\
schema = 1
env = "gymnasium:CartPole-v1"
save_every = 512
[policy]
layers = [16]
[critic]
layers = [16]
[learner]
device = "cpu"
[ppo]
iteration = 512
[collect]
workers = 2
arenas = 4
"""
RAISING = """\
import gymnasium

class Raising(gymnasium.Wrapper):
    def step(self, action):
        if self.env.unwrapped.state[2] > 0.1:
            raise ValueError("the pole leans")
        return self.env.step(action)

def build_env():
    return Raising(gymnasium.make("CartPole-v1"))
"""


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Training]:
    run = Training(tmp_path, profile=CARTPOLE)
    yield run
    run.kill_all()


def rollouts(config: ResolvedConfig, serial: bool) -> list[dict[str, np.ndarray]]:
    shared, learner = SharedRollout.create(config.shape), config.learner()
    made = SerialCollector(config.actor(0), shared) if serial else config.collector(learner, shared, 0, lambda r: None)
    made.start(lambda: None)
    try:
        made.set_policy(learner)
        found = (made.collect(0, 0, lambda: None).rollout for _ in range(3))
        return [{name: np.array(value) for name, value in vars(rollout).items()} for rollout in found]
    finally:
        made.close()
        shared.close()


def test_serial_and_local_are_bit_identical(tmp_path: Path) -> None:
    (tmp_path / "cartpole.toml").write_text(CARTPOLE)
    config = ResolvedConfig.resolve(load(tmp_path / "cartpole.toml"))
    serial, local = (rollouts(config, each) for each in (True, False))
    for one, two in zip(serial, local, strict=True):
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    assert any(one["terminated"].any() for one in serial)


def test_a_run_learns_saves_resumes_and_says_of_the_game_that_it_is_unknown(training: Training) -> None:
    assert training.start("--steps", "1024").wait_end() == 0, training.output
    (header,) = (record for record in training.poll() if isinstance(record, RunStarted))
    assert match_words(header) == "CartPole-v1, 1 agent" and (header.obs_size, header.actions) == (4, 2)
    assert "environment CartPole-v1, 1 agent, observation 4, 2 actions" in training.output
    first = training.iterations()[0].metrics
    assert (first[EPISODES] or 0) > 5 and (first[REWARD] or 0) > 8, "CartPole pays 1 for each step"
    of_game = (metric_keys.GOALS_PER_MINUTE, metric_keys.TOUCHES_PER_MINUTE, metric_keys.TURTLE_EVENTS, "lut/left")
    assert [first.get(key) for key in of_game] == [None] * len(of_game), "unknown, not 0"
    assert sum(next(record for record in training.records if isinstance(record, TableUsed)).counts) == 512
    saved = [record for record in training.records if isinstance(record, CheckpointSaved)][-1]
    with pytest.raises(RltuiError, match="CartPole-v1 is an environment of your own"):
        saved_game(load_policy(Path(saved.path) / POLICY_FILE))
    assert training.start("--steps", "2048").wait_end() == 0, training.output
    rows = training.wait_records(IterationFinished, 4)
    assert [row.timesteps for row in rows] == [512, 1024, 1536, 2048]


def test_what_the_environment_raises_in_a_worker_is_named_with_its_line(training: Training) -> None:
    (training.folder / "my_bot.py").write_text(RAISING)
    training.profile = CARTPOLE.replace("gymnasium:CartPole-v1", "my_bot.py:build_env")
    failed = training.start().wait_records(WorkerFailed)[0]
    assert failed.reason == f"{training.folder / 'my_bot.py'}:6: ValueError: the pole leans"


def test_a_bot_of_such_an_environment_is_no_opponent(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", "cartpole")
    (tmp_path / "against.toml").write_text('schema = 1\n[game]\nopponent = "bot/policy.npz"\n[rewards]\ntouch = 1.0\n')
    found = report(str(tmp_path / "against.toml"))
    (error,) = found["errors"]
    assert (error["key"], found["forcible"]) == ("game.opponent", False)
    assert "CartPole-v1 is an environment of your own" in error["message"]


def test_a_check_tells_what_one_instance_says_and_a_fault_on_the_line_of_env(tmp_path: Path) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text(CARTPOLE)
    found = report(str(profile))
    summary = found["summary"]
    assert found["valid"] and (summary["env"], summary["obs_size"], summary["actions"]) == ("CartPole-v1", 4, 2)
    assert summary["gamma_half_life_s"] is None, "nobody knows how long a step lasts"
    (tmp_path / "my_bot.py").write_text("def build_env():\n    raise ValueError('no such map')\n")
    profile.write_text(CARTPOLE.replace("gymnasium:CartPole-v1", "my_bot.py:build_env"))
    found = report(str(profile))
    (error,) = found["errors"]
    assert (error["line"], error["key"], found["forcible"]) == (2, "env", False)
    assert "no such map" in error["message"]
