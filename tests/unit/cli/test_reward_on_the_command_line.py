"""`ls`, `status`, `milestones` and the trainer's own lines tell one reward: over the newest episodes, and over how many."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest

from rltui.__main__ import main
from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import IterationFinished
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.train.console import Console
from tests.fakes.run_story import phase_changed
from tests.fakes.saved_runs import header, make_files, make_meta, place


def iteration(number: int, mean: float | None, episodes: int) -> IterationFinished:
    metrics = {"rollout/policy_reward": mean, "rollout/episodes": episodes}
    return IterationFinished(time=1.0, iteration=number, timesteps=number * 1000, metrics=metrics)


ROWS = [iteration(1, 900.0, 3), iteration(2, 10.0, 60), iteration(3, 20.0, 40), iteration(4, None, 0)]


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path)
    for name, rows in (("alpha", ROWS), ("young", ROWS[3:])):
        data.run(name).folder.mkdir(parents=True)
        writer = JournalWriter(data.run(name).journal)
        for record in (header(name), *rows):
            writer.write(record)
        writer.close()
    about = msgspec.structs.replace(make_meta("alpha", 1, 4000), mean_reward=14.0, reward_episodes=100)
    place(data.run("alpha").checkpoint(4000), make_files(about))
    return data


def test_all_tell_the_same(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(data.root)]
    assert main(["ls", *where]) == 0
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
    assert rows["RUN"][3:5] == ["REWARD", "EPISODES"]
    assert rows["alpha"][3:5] == ["14.000", "100"]
    assert rows["young"][3:5] == ["–", "–"]
    assert main(["status", "alpha", *where]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("reward / episode 14 over 100 episodes") == 1
    assert main(["status", "young", *where]) == 0
    assert "reward / episode  –\n" in capsys.readouterr().out
    assert main(["ls", "--json", *where]) == 0
    runs = {run["name"]: run["reward"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert runs == {
        "alpha": {"mean": 14.0, "episodes": 100, "short": False},
        "young": {"mean": None, "episodes": 0, "short": False},
    }
    assert main(["milestones", "list", "alpha", *where]) == 0
    assert "  4000       4,000  14.000       100" in capsys.readouterr().out


def test_all_say_that_mostly_short_episodes_have_ended(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(data.root)]
    young = msgspec.structs.replace(ROWS[2], iteration=5, timesteps=5000)
    row = msgspec.structs.replace(young, metrics={**young.metrics, "rollout/first_episodes": 12.5})
    writer = JournalWriter(data.run("young").journal)
    writer.write(row)
    writer.close()
    assert main(["ls", *where]) == 0
    assert "young: reward over short episodes so far: all arenas have begun at once" in capsys.readouterr().out
    assert main(["status", "young", *where]) == 0
    assert "20 over 40 short episodes so far" in capsys.readouterr().out
    out = io.StringIO()
    Console(out)(row)
    assert "20.000 over 40 short episodes so far  entropy" in out.getvalue()


def test_the_speed_of_ls_and_status_is_that_of_the_newest_iterations(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    """100 steps at 10/s and 100 at 40/s: 200 steps in 12.5 s."""
    where = ["--data-dir", str(data.root)]
    writer = JournalWriter(data.run("young").journal)
    for number, speed in ((5, 10.0), (6, 40.0)):
        row = iteration(number, None, 0)
        writer.write(msgspec.structs.replace(row, metrics={**row.metrics, OVERALL_SPEED: speed}))
    writer.close()
    assert main(["status", "young", *where]) == 0
    assert "16 steps/s over 2 iterations, when it last trained" in capsys.readouterr().out
    with RunLock(data.run("young")):
        assert main(["ls", *where]) == 0
        rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
    assert (rows["RUN"][5], rows["young"][5]) == ("STEPS/S", "16")


def test_the_trainer_s_own_lines_too() -> None:
    out = io.StringIO()
    console = Console(out)
    for row in ROWS:
        console(row)
    first, *_, last = out.getvalue().splitlines()
    assert "reward  900.000 over 3 episodes  entropy" in first
    assert "reward   14.000 over 100 episodes  entropy" in last


def test_the_profile_is_the_one_it_is_trained_by(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    writer = JournalWriter(data.run("alpha").journal)
    writer.write(msgspec.structs.replace(header("alpha"), profile="campaign"))
    writer.write(phase_changed(2.0, 5000))
    writer.close()
    assert main(["ls", "--data-dir", str(data.root)]) == 0
    out = capsys.readouterr().out
    assert "  phase-2-bronze-skills (campaign)\n" in out and "  quick\n" in out
    assert main(["status", "alpha", "--data-dir", str(data.root)]) == 0
    assert "campaign, in phase phase-2-bronze-skills" in capsys.readouterr().out
