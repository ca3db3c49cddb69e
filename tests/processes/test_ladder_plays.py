"""rltui ladder RUN --games N: in processes, until nothing is missing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from rltui.league import games
from rltui.league.games import player_name
from rltui.policy.saved import save_policy, weights_hash
from rltui.runs.paths import DataDir
from tests.fakes.bots import write_bot
from tests.fakes.saved_runs import make_files, make_meta, make_run, place
from tests.fakes.training import wait_for

PROFILE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    """A run with two milestones that can play, and a damaged one."""
    data = DataDir(tmp_path / "data")
    paths = make_run(data, commits=1)
    (tmp_path / "made.toml").write_text(PROFILE, encoding="utf-8")
    policy = save_policy(write_bot(tmp_path / "bot", str(tmp_path / "made.toml")))
    for commit, millions, content in ((2, 5, policy), (3, 10, policy), (4, 15, b"nothing")):
        files = make_files(make_meta("alpha", commit, millions * 1_000_000)) | {"policy.npz": content}
        place(paths.milestones / "Phase1-BallTouching" / f"{millions:03}M", files)
    return data


def command(data: DataDir, *words: str) -> list[str]:
    return [sys.executable, "-m", "rltui", "--data-dir", str(data.root), "ladder", "alpha", "--json", *words]


def ladder(data: DataDir, *words: str) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(command(data, *words), capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_it_plays_what_is_missing_and_then_nothing(data: DataDir, tmp_path: Path) -> None:
    digest = weights_hash(write_bot(tmp_path / "again", str(tmp_path / "made.toml")))
    old, new = (player_name("alpha", timesteps, digest) for timesteps in (5_000_000, 10_000_000))
    words = ("--games", "2", "--seconds", "0.5", "--workers", "2")
    code, found, told = ladder(data, *words)
    assert code == 1
    assert "015M" in told and "policy" in told, "who cannot play, and why"
    pairs = Counter((game.a, game.b) for game in games.read(data.games).games)
    expected = [("chaser", "rule"), (new, "rule"), (old, "rule"), (new, old), (new, "chaser"), (old, "chaser")]
    assert pairs == dict.fromkeys(expected, 2)
    assert {player["player"] for player in found["players"]} == {"rule", "chaser", old, new}
    assert found["milestones_without_games"] == ["alpha/Phase1-BallTouching/015M"]
    before = data.games.read_bytes()
    assert ladder(data, *words)[1] == found
    assert data.games.read_bytes() == before


def test_compare_plays_the_games_that_it_ends_in(data: DataDir) -> None:
    words = ["compare", "alpha/005M", "alpha/010M", "--games", "2", "--seconds", "0.5", "--json"]
    run = [sys.executable, "-m", "rltui", *words, "--data-dir", str(data.root)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    match = json.loads(done.stdout or "{}").get("match")
    assert match is not None, done
    assert match["games"] == 2, done.stderr
    assert [match["a"].partition("#")[0], match["b"].partition("#")[0]] == ["alpha@5000000", "alpha@10000000"]
    assert {(game.a, game.b) for game in games.read(data.games).games} == {(match["a"], match["b"])}


def test_ctrl_c_ends_it_and_what_is_finished_is_rated(data: DataDir) -> None:
    words = ("--games", "300", "--seconds", "3", "--workers", "2")
    process = subprocess.Popen(command(data, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(data.games.exists, "no game was finished")
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
    finally:
        process.kill()
    played = games.read(data.games)
    assert process.returncode == 1
    assert f"interrupted: {len(played.games)} of " in told
    assert json.loads(out)["games"] == len(played.games)
    assert played.skipped == 0
    wait_for(lambda: not any(child.is_running() for child in children), "a process was left")
