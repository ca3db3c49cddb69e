from __future__ import annotations

import json
import os
import time
from pathlib import Path

import msgspec

from rltui.cli.output import json_text
from rltui.runs.inventory import MilestoneMark, change_mark
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.runs.summary import RunSummary, describe_run, describe_runs
from tests.fakes.run_story import phase_changed
from tests.fakes.saved_runs import finish, header, make_run, resumed, row, save_milestone


def test_nothing(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "none")
    assert describe_runs(data) == []
    empty = describe_run(data.run("alpha"))
    assert (empty.state, empty.timesteps, empty.metrics, empty.checkpoint, empty.started) == (
        "empty",
        None,
        {},
        None,
        None,
    )


def test_a_stopped_run(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=3)
    save_milestone(paths, 3, 3000, "000.003M")
    change_mark(paths, "Phase1-BallTouching/000.003M", lambda _: MilestoneMark(pinned=True, note="good"))
    (paths.checkpoint(1000) / "policy.npz").unlink()
    writer = JournalWriter(paths.journal)
    for record in (
        header(),
        row(1000),
        header(time=1_700_000_500.0),
        row(3500, iteration=7, reward=21.5),
        finish(3500, time=1_700_009_000.0),
    ):
        writer.write(record)
    run = describe_run(paths)
    assert (run.name, run.state, run.note, run.pid) == ("alpha", "stopped", "", None)
    assert (run.profile, run.label, run.phase) == ("quick", "BallTouching", 1)
    assert (run.started, run.updated) == (1_700_000_000.0, 1_700_009_000.0)
    assert (run.timesteps, run.iteration, run.metrics) == (3500, 7, {"rollout/policy_reward": 21.5})
    assert run.checkpoint is not None and (run.checkpoint.timesteps, run.checkpoints) == (3000, 2)
    assert [(saved.name, saved.mark.note) for saved in run.milestones] == [
        ("milestone Phase1-BallTouching/000.003M", "good")
    ]
    assert [(saved.name, saved.damage) for saved in run.damaged] == [("checkpoint 1000", "policy.npz is missing")]
    document = json.loads(json_text(run.document()))
    assert document.keys() == set(RunSummary.__struct_fields__)
    assert document["milestones"] == [
        {
            "path": str(run.milestones[0].path),
            "name": "milestone Phase1-BallTouching/000.003M",
            "timesteps": 3000,
            "meta": msgspec.to_builtins(run.milestones[0].meta),
            "damage": None,
            "mark": {"pinned": True, "released": False, "note": "good"},
        }
    ]
    assert [saved["damage"] for saved in document["damaged"]] == ["policy.npz is missing"]


def test_a_campaign_is_where_its_newest_step_took_it(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=1)
    writer = JournalWriter(paths.journal)
    for record in (header(), row(1000), phase_changed(1_700_000_600.0, 1000), row(2000)):
        writer.write(record)
    run = describe_run(paths)
    assert (run.phase, run.label, run.profile) == (2, "BronzeSkills1", "quick")


def test_states(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    assert describe_run(paths).state == "empty"
    writer = JournalWriter(paths.journal)
    writer.write(header())
    run = describe_run(paths)
    assert run.state == "unclean" and "did not end cleanly" in run.note
    with RunLock(paths):
        run = describe_run(paths)
        assert (run.state, run.pid, run.note) == ("training", os.getpid(), "")
        assert run.host is not None and run.since is not None
    writer.write(finish(0))
    assert describe_run(paths).state == "stopped"


def test_a_run_that_left_only_checkpoints(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=2)
    paths.folder.rmdir()
    run = describe_run(paths)
    assert (run.state, run.profile, run.phase, run.timesteps, run.updated) == (
        "stopped",
        "quick",
        1,
        2000,
        1_700_000_002.0,
    )


def test_rows_taken_back_do_not_count(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    writer = JournalWriter(paths.journal)
    for record in (header(), row(1000), row(2000), header(), resumed(1000)):
        writer.write(record)
    assert describe_run(paths).timesteps == 1000


def test_the_newest_iteration_is_found_behind_many_log_lines(tmp_path: Path) -> None:
    from rltui.events.records import LogLine

    paths = make_run(DataDir(tmp_path), commits=0)
    writer = JournalWriter(paths.journal)
    writer.write(header()), writer.write(row(1234))
    for _ in range(4000):
        writer.write(LogLine(time=1.0, level="info", source="worker", message="x" * 100))
    assert describe_run(paths).timesteps == 1234


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    for name, start in (("old", 1.0), ("new", 3_000.0), ("middle", 2_000.0)):
        make_run(data, name, commits=1, time=start)
    make_run(data, "empty", commits=0)
    assert [run.name for run in describe_runs(data)] == ["new", "middle", "old", "empty"]


def test_a_long_run_and_many_runs_are_described_fast(tmp_path: Path) -> None:
    """Thirty runs, one of them with 40 MB of journal in parts: far below the second that attaching may take."""
    data = DataDir(tmp_path)
    for number in range(30):
        make_run(data, f"run{number}", commits=5)
    paths = data.run("run7")
    writer = JournalWriter(paths.journal, part_bytes=8 << 20)
    writer.write(header())
    big = type(row(1))(time=1.0, iteration=1, timesteps=1, metrics={f"metric/{number}": 1.5 for number in range(45)})
    line = msgspec.json.encode(big) + b"\n"
    for part in range(1, 5):
        (paths.folder / f"journal.{part}.jsonl").write_bytes(line * 8000)
    writer.write(row(77))
    start = time.process_time()
    runs = describe_runs(data)
    assert time.process_time() - start < 1.0
    assert next(run.timesteps for run in runs if run.name == "run7") == 77
