"""A run's metrics as CSV, event files and W&B: what the journal says, one value a step, whatever was taken back."""

from __future__ import annotations

import csv
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rltui.__main__ import main
from rltui.events.records import IterationFinished, Record
from rltui.runs import metric_logs
from rltui.runs.journal import JournalWriter
from rltui.runs.metric_logs import CsvLog, Kind, LogSpec, MetricLog, exported, follow, open_log
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes import event_files, run_story
from tests.fakes.saved_runs import header, make_run, resumed, row

LATER = header(pid=1)


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    return make_run(DataDir(tmp_path), commits=0)


@pytest.fixture
def write(paths: RunPaths) -> Iterator[Callable[..., None]]:
    journal = JournalWriter(paths.journal)

    def write(*records: Record) -> None:
        for record in records:
            assert journal.write(record)

    yield write
    journal.close()


@pytest.fixture
def wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, Any]]]:
    """The fake, and all that it was asked."""
    file = tmp_path / "asked.jsonl"
    monkeypatch.setenv("FAKE_WANDB", str(file))
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setitem(sys.modules, "wandb", importlib.import_module("tests.fakes.wandb_server"))
    return lambda: [json.loads(line) for line in file.read_text().splitlines()]


def spec(paths: RunPaths, kind: Kind = "wandb", project: str = "cars") -> LogSpec:
    place = {"csv": paths.csv, "tensorboard": paths.tensorboard, "wandb": paths.folder}[kind]
    return LogSpec(kind, paths, place, project, {"ppo": {"gamma": 0.99}})


def written(log: MetricLog) -> MetricLog:
    log.begin()
    log.close()
    return log


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def steps(rows: list[dict[str, str]]) -> list[int]:
    return [int(each["Cumulative Timesteps"]) for each in rows]


def test_names_are_those_of_rlgym_ppo_and_else_the_keys() -> None:
    found = exported(run_story.campaign_iteration(0.0))
    for name in (
        "Policy Reward", "Policy Entropy", "Value Function Loss", "Mean KL Divergence", "SB3 Clip Fraction",
        "Collected Steps per Second", "Overall Steps per Second", "Timestep Collection Time", "Cumulative Timesteps",
    ):  # fmt: skip
        assert name in found
    assert "rollout/episodes" in found
    assert not [name for name in found if name in ("rollout/policy_reward", "timesteps", "train/entropy")]


def test_a_group_of_arenas_has_names_of_its_own() -> None:
    both = msgspec.structs.replace(
        row(1), metrics={"rollout/policy_reward": 1.0, "mechanics/rollout/policy_reward": 2.0, "train/entropy": None}
    )
    assert exported(both) == {
        "Policy Reward": 1.0,
        "mechanics/rollout/policy_reward": 2.0,
        "Cumulative Timesteps": 1,
    }, "what is unknown is left out"


def test_every_format_has_what_resumes_left(
    paths: RunPaths,
    write: Callable[..., None],
    wandb: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event_files.install(monkeypatch)
    write(header(), row(100, reward=1.0), row(200, reward=2.0), row(300, reward=3.0))
    write(header(), resumed(200), row(310, reward=4.0))
    expected = [(100, 1.0), (200, 2.0), (310, 4.0)]
    for _ in range(2):  # a second start writes nothing twice
        for kind in metric_logs.KINDS:
            written(open_log(spec(paths, kind)))
    found = table(paths.csv)
    assert [(each, float(line["Policy Reward"])) for each, line in zip(steps(found), found, strict=True)] == expected
    assert event_files.scalars(paths.tensorboard, "Policy Reward") == expected
    assert [(said["step"], said["values"]["Policy Reward"]) for said in wandb() if "step" in said] == expected


def test_event_files_of_an_earlier_start_are_forgotten_by_who_shows_them(
    paths: RunPaths, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    event_files.install(monkeypatch)
    write(header(), row(100))
    for _ in range(2):
        written(open_log(spec(paths, "tensorboard")))
    (file,) = paths.tensorboard.iterdir()
    assert json.loads(file.read_text().splitlines()[0]) == {"step": 0, "session_log": {"status": 1}}


def test_the_real_tensorboard_reads_the_same(paths: RunPaths, write: Callable[..., None]) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    write(header(), row(100, reward=1.5), row(200, reward=2.5), resumed(100), row(210, reward=3.5))
    for _ in range(2):
        written(open_log(spec(paths, "tensorboard")))
    found = reader.EventAccumulator(str(paths.tensorboard)).Reload()
    assert [(each.step, each.value, each.wall_time) for each in found.Scalars("Policy Reward")] == [
        (100, 1.5, row(100).time),
        (210, 3.5, row(210).time),
    ]


def test_a_log_follows_until_a_later_trainer_begins(paths: RunPaths, write: Callable[..., None]) -> None:
    """A row written while the history is read is in it once; a new metric gets a column."""
    write(header(), row(100))
    more = msgspec.structs.replace(row(300), metrics={"rollout/policy_reward": 1.0, "reward/touch": 0.5})
    coming: list[tuple[Record, ...]] = [(row(200),), (more,), (row(400), LATER, row(500)), (row(600),)]
    log = open_log(spec(paths, "csv"), touch=lambda: write(*coming.pop(0)) if len(coming) == 4 else None)

    def pause() -> bool:
        write(*coming.pop(0))
        return False

    follow(log, paths.journal, pause, lambda: None)
    log.close()
    found = table(paths.csv)
    assert steps(found) == [100, 200, 300, 400]
    assert [line["reward/touch"] for line in found] == ["", "", "0.5", ""]
    assert [path.name for path in paths.folder.iterdir() if "metrics" in path.name] == ["metrics.csv"]


def test_what_is_left_at_the_end_is_logged(paths: RunPaths, write: Callable[..., None]) -> None:
    log = open_log(spec(paths, "csv"))

    def pause() -> bool:
        write(row(100), row(200))
        return True

    follow(log, paths.journal, pause, lambda: None)
    log.close()
    assert steps(table(paths.csv)) == [100, 200]


def test_no_line_of_the_table_is_lost_or_twice_where_metrics_come_while_it_is_begun(tmp_path: Path) -> None:
    rows = [row(100)]
    touched = [msgspec.structs.replace(row(at), metrics={"reward/touch": at / 100}) for at in (200, 300)]

    def history() -> Iterator[IterationFinished]:
        yield from list(rows)
        if len(rows) == 1:  # when its columns are known
            rows.append(touched[0])

    log = CsvLog(history, tmp_path / "table.csv")
    log.begin()
    log.add(touched[0])
    assert steps(table(tmp_path / "table.csv")) == [100, 200]
    rows.append(touched[1])
    log.add(touched[1])
    log.close()
    found = table(tmp_path / "table.csv")
    assert [(line["Cumulative Timesteps"], line["reward/touch"]) for line in found] == [
        ("100", ""),
        ("200", "2.0"),
        ("300", "3.0"),
    ]


def test_w_and_b_has_one_run_over_all_starts(
    paths: RunPaths, write: Callable[..., None], wandb: Callable[[], list[dict[str, Any]]]
) -> None:
    write(header(), row(100))
    assert written(open_log(spec(paths))).where == "W&B: https://wandb.ai/ada/rltui/1"
    write(header(), row(200))
    written(open_log(spec(paths)))
    begun = [said for said in wandb() if "mode" in said]
    assert [said["id"] for said in begun] == 2 * [begun[0]["id"]]
    assert {(said["mode"], said["project"], said["name"], said["resume"]) for said in begun} == {
        ("online", "cars", "alpha", "allow")
    }
    assert [said["step"] for said in wandb() if "step" in said] == [100, 200]
    assert {"config": {"ppo": {"gamma": 0.99}}} in wandb()
    written(open_log(spec(paths, project="planes")))
    assert wandb()[-5]["id"] != begun[0]["id"], "another project begins with all rows"
    assert [said["step"] for said in wandb()[-3:-1]] == [100, 200]


def test_w_and_b_cannot_take_back_and_keeps_the_first(
    paths: RunPaths, write: Callable[..., None], wandb: Callable[[], list[dict[str, Any]]]
) -> None:
    write(header(), row(100), row(200), row(300))
    written(open_log(spec(paths)))
    write(header(), resumed(100), row(200), row(290), row(400))
    written(open_log(spec(paths)))
    assert [said["step"] for said in wandb() if "step" in said] == [100, 200, 300, 400]
    paths.wandb_state.write_bytes(b"{")
    written(open_log(spec(paths)))
    assert [said["step"] for said in wandb() if "step" in said][4:] == [100, 200, 290, 400], "a new run of W&B"


def test_w_and_b_is_offline_where_it_cannot_be_reached(
    paths: RunPaths,
    write: Callable[..., None],
    wandb: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(header(), row(100))
    monkeypatch.setenv("FAKE_WANDB_FAULT", "init-online raises")
    log = written(open_log(spec(paths)))
    assert "offline (RuntimeError: init-online fails); to send it: wandb sync --id " in log.where
    assert [said.get("mode", said) for said in wandb()[:3]] == ["online", {"torn": True}, "offline"]
    assert [said["step"] for said in wandb() if "step" in said] == [100]
    monkeypatch.setenv("WANDB_MODE", "disabled")
    open_log(spec(paths))
    assert wandb()[-2]["mode"] == "", "as WANDB_MODE says"


def test_what_is_missing_is_said_with_its_install_line(
    paths: RunPaths, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    write(header(), row(100))
    monkeypatch.chdir(paths.folder)
    data = ["--data-dir", str(paths.data.root)]
    assert main(["log", "export", "alpha", "--to", "tensorboard", *data]) == 1
    assert 'pip install -e ".[tensorboard]"' in capsys.readouterr().err


def test_a_run_is_exported(
    paths: RunPaths, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event_files.install(monkeypatch)
    monkeypatch.chdir(paths.folder)
    export = ["log", "export", "alpha", "--data-dir", str(paths.data.root), "--to"]
    write(header())
    assert main([*export, "csv"]) == 1
    assert "run 'alpha' has no iterations" in capsys.readouterr().err
    write(row(100), row(200))
    assert main([*export, "csv"]) == 0
    assert capsys.readouterr().out == "wrote alpha.csv\n"
    assert steps(table(Path("alpha.csv"))) == [100, 200]
    write(row(300))
    assert main([*export, "csv"]) == 2 and "alpha.csv exists" in capsys.readouterr().err
    assert steps(table(Path("alpha.csv"))) == [100, 200], "what is there is left alone"
    assert main([*export, "csv", "--force"]) == 0 and steps(table(Path("alpha.csv"))) == [100, 200, 300]
    assert main([*export, "tensorboard"]) == 0
    assert [step for step, _ in event_files.scalars(Path("tensorboard/alpha"), "Policy Reward")] == [100, 200, 300]
    assert main([*export, "tensorboard"]) == 1, "another's event files are left alone"
    assert main([*export, "csv", "--out", "alpha.csv/below.csv"]) == 1
    assert "cannot write alpha.csv/below.csv" in capsys.readouterr().err
