"""rltui eval: the same games with any number of processes, logged; what is said when it is stopped, or a process dies."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from rltui.errors import RltuiError
from rltui.league import games
from rltui.league.evaluation import Evaluation, MatchUp, Task, TaskDone, play
from rltui.league.evaluators import Evaluators
from rltui.league.sources import PolicySource, ScriptedSource
from tests.fakes.bots import write_bot
from tests.fakes.training import wait_for

PROFILE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'


def command(data: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "rltui", "--data-dir", str(data), "eval", *words]


def evaluated(data: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(command(data, *words, "--json"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), "silent where nobody looks"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_same_games_whatever_the_number_of_processes(tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(PROFILE, encoding="utf-8")
    write_bot(tmp_path / "bot", str(tmp_path / "made.toml"))
    words = (str(tmp_path / "bot" / "policy.npz"), "chaser", "--games", "35", "--seconds", "4", "--seed", "3")
    one, three = (evaluated(tmp_path / str(count), *words, "--workers", str(count)) for count in (1, 3))
    assert one.pop("processor_seconds") > 0 and three.pop("processor_seconds") > 0
    assert one == three
    assert (one["games"], one["b"]) == (35, "chaser")
    assert one["a"].startswith("policy.npz#")
    logs = [games.read(tmp_path / count / "games.csv") for count in "13"]
    assert not any(log.notices() for log in logs)
    rows = [sorted((g.seed, g.a, g.b, g.goals_a, g.goals_b, g.seconds) for g in log.games) for log in logs]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 35
    assert sum(row[3] for row in rows[0]) == one["goals_for"]


def test_nothing_is_recorded_where_nothing_should_be(tmp_path: Path) -> None:
    evaluated(tmp_path, "idle", "chaser", "--games", "2", "--seconds", "1", "--no-record")
    assert not (tmp_path / "games.csv").exists()


def test_another_player_is_not_recorded(tmp_path: Path) -> None:
    sampled, itself = "ratings are of sampled play", "a bot against itself"
    cases = (("chaser", sampled, ["--deterministic"]), ("chaser", sampled, ["--team-size", "2"]), ("idle", itself, []))
    for other, why, words in cases:
        played = command(tmp_path, "idle", other, "--games", "2", "--seconds", "1", *words)
        done = subprocess.run(played, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and f"not recorded: {why}" in done.stderr
        assert not (tmp_path / "games.csv").exists()


def test_ctrl_c_ends_at_once_and_tells_what_is_finished(tmp_path: Path) -> None:
    words = ("chaser", "random", "--games", "400", "--seconds", "20", "--workers", "1", "--json")
    process = subprocess.Popen(command(tmp_path, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: (tmp_path / "games.csv").exists(), "no game was finished")
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    finally:
        process.kill()
    found = json.loads(out)
    assert process.returncode == 1
    assert 0 < found["games"] < found["games_wanted"] == 400
    assert f"interrupted: {found['games']} of 400 games are finished" in error
    assert len(games.read(tmp_path / "games.csv").games) == found["games"], "each that is told is logged"
    wait_for(lambda: not any(child.is_running() for child in children), "a process was left")


def test_a_bar_on_a_terminal_which_leaves_nothing_behind(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    words = command(tmp_path, "chaser", "idle", "--games", "2", "--seconds", "2", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        os.close(slave)
        out = process.communicate(timeout=120)[0]
    written = os.read(master, 1 << 16).decode()
    os.close(master)
    assert re.search(r"\[#*-*\] \d+ % of 2 games", written)
    *_, last, end = written.split("\r")
    assert (last.strip(), end) == ("", "")
    assert json.loads(out)["games"] == 2


def play_with(match_up: MatchUp, tasks: Sequence[Task], count: int = 1, kill: int = 0) -> list[TaskDone]:
    """kill: so many processes, each when it has begun."""
    done = []
    with Evaluators(match_up, count) as evaluators:
        for said in evaluators.played(tasks):
            if isinstance(said, TaskDone):
                done.append(said)
            elif kill:
                kill -= 1
                os.kill(evaluators._running[0].process.pid or 0, signal.SIGKILL)
    return done


def test_what_a_dead_process_played_is_played_anew() -> None:
    match_up = MatchUp(ScriptedSource("chaser"), ScriptedSource("random"), 1, 30.0, 3)
    (done,) = play_with(match_up, [Task(0, 8)], kill=1)
    assert done.games == play(match_up, Task(0, 8)).games


def test_a_task_that_kills_every_process_is_given_up() -> None:
    match_up = MatchUp(ScriptedSource("chaser"), ScriptedSource("random"), 1, 300.0, 3)
    with pytest.raises(RltuiError, match="3 processes that played the same games ended: SIGKILL"):
        play_with(match_up, [Task(0, 8)], kill=10)


BROKEN = """\
from rltui.opponents.base import ScriptedPlayer
import numpy as np

print("imported")

class Breaks(ScriptedPlayer):
    def rows(self):
        return np.zeros((1, 8), np.float32)

    def act(self, state, seats, rng):
        if state.tick.max() > 100:
            raise KeyError("ball")
        return np.zeros(state.on_ground[seats].shape, np.int64)
"""


def test_what_a_users_player_raises_comes_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN, encoding="utf-8")
    player = ScriptedSource(f"{tmp_path / 'mine.py'}:Breaks")
    with pytest.raises(RltuiError, match=r"mine\.py:12: KeyError: 'ball'") as error:
        play_with(MatchUp(player, ScriptedSource("idle"), 1, 10.0, 3), [Task(0, 1)])
    assert "Traceback" in error.value.hint


def test_what_a_users_player_prints_is_no_part_of_the_result(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN, encoding="utf-8")
    words = (f"{tmp_path / 'mine.py'}:Breaks", "idle", "--games", "1", "--seconds", "0.5", "--json")
    done = subprocess.run(command(tmp_path, *words), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["a"].startswith("Breaks#")
    assert "imported" in done.stderr


def test_two_checkpoints_have_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(PROFILE, encoding="utf-8")
    write_bot(tmp_path / "bot", str(tmp_path / "made.toml"))
    player = PolicySource(tmp_path / "bot")
    found = Evaluation(MatchUp(player, ScriptedSource("idle"), 1, 1.0, 3), 1)
    assert found.ids[0].split("#")[0] == f"{tmp_path.name}/bot"
