"""The documents' reward and observation of one's own, as written there: a real run is trained with them, and traced."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished, LogLine, RunFinished, RunStarted
from rltui.runs.journal import read_journal
from rltui.runs.paths import DataDir
from tests.fakes import warm_start
from tests.fakes.documents import snippet
from tests.fakes.patience import patience

SMALL = ("ppo.iteration=512", "ppo.batch=512", "ppo.minibatch=512", "collect.workers=1", "collect.arenas=4")
TIMEOUT = 120
HELPED = """\
import numpy as np
from rlgym.api import RewardFunction

from .common import unit


class Facing(RewardFunction):
    def reset(self, agents, initial_state, shared_info):
        pass

    def get_rewards(self, agents, state, is_terminated, is_truncated, shared_info):
        from helped.common import unit as late

        ball = state.ball.position
        return {a: float(np.dot(late(ball - car.physics.position), car.physics.forward)) for a, car in state.cars.items()}
"""


def rltui(*arguments: str) -> str:
    if arguments[0] == "train":
        with Path("output.txt").open("wb") as output:
            environment = {**os.environ, "RLTUI_DATA": "data"}
            process = warm_start.start("rltui", arguments, output.fileno(), environment)
            code = process.wait(patience(TIMEOUT))
        said = Path("output.txt").read_text(encoding="utf-8")
        assert code == 0, said
        return said
    command = [sys.executable, "-m", "rltui", *arguments]
    environment = {**os.environ, "RLTUI_DATA": "data"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_a_bot_learns_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_rewards.py").write_text(snippet("python", "class HighBall"), encoding="utf-8")
    Path("my_obs.py").write_text(snippet("python", "class MyObs"), encoding="utf-8")
    Path("helped").mkdir()
    Path("helped/near.py").write_text(HELPED, encoding="utf-8")
    Path("helped/common.py").write_text(
        "def unit(v):\n    return v / max(1.0, float((v * v).sum()) ** 0.5)\n", encoding="utf-8"
    )
    rltui("profile", "new", "mine", "--from", "quick")
    written = Path("profiles/mine.toml").read_text(encoding="utf-8")
    rewards = snippet("toml", "HighBall") + snippet("toml", "TouchReward") + '"helped.near:Facing" = 0.1\n'
    text, count = re.subn(r"(?m)^\[rewards\]\n", f"[rewards]\n{rewards}", written)
    assert count == 1
    text, count = re.subn(r"(?ms)^\[obs\]\n.*?(?=^\[|^# What)", f"{snippet('toml', 'MyObs')}\n", text)
    assert count == 1
    Path("profiles/mine.toml").write_text(text, encoding="utf-8")

    assert "[OK] mine: 1v1, 7 numbers observed" in rltui("profile", "check", "mine")
    settings = [part for override in SMALL for part in ("--set", override)]
    out = rltui("train", "mine", "--resume", "new", "--run", "first", "--steps", "1024", *settings)
    assert "RLGym RewardFunctions are called arena by arena" in out
    records = list(read_journal(DataDir(Path("data")).run("first").journal))
    (started,) = [record for record in records if isinstance(record, RunStarted)]
    assert started.obs_size == 7
    warned = [record for record in records if isinstance(record, LogLine) and record.source == "rewards"]
    assert [record.level for record in warned] == ["warning"]
    metrics = [record.metrics for record in records if isinstance(record, IterationFinished)]
    assert len(metrics) >= 2 and any(key.startswith("reward/") and "HighBall" in key for key in metrics[0])
    assert all(record["train/entropy"] is not None for record in metrics)
    (finished,) = [record for record in records if isinstance(record, RunFinished)]
    assert (finished.exit_code, finished.timesteps) == (0, metrics[-1]["timesteps"])

    rltui("trace", "first", "--steps", "30", "--out", "trace.csv")
    with Path("trace.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30 and all(0 < float(row["HighBall"]) < 0.1 for row in rows)
    components = ("touch", "speed_toward_ball", "face_ball", "off_ground", "HighBall", "TouchReward", "Facing")
    for row in rows:
        assert abs(sum(float(row[name]) for name in components) - float(row["total"])) < 1e-5

    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")  # a run goes on from every folder
    data = ("--data-dir", "../data")
    rltui("train", "../data/runs/first/run.toml", "--run", "first", "--steps", "1536", *data)
    records = list(read_journal(DataDir(Path("../data")).run("first").journal))
    assert [record.exit_code for record in records if isinstance(record, RunFinished)] == [0, 0]
