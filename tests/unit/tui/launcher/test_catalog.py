"""What the launcher lists: read once, in order, whatever lies in the folders, and slow parts after the first list."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from rltui.__main__ import main
from rltui.events.episode_reward import EPISODES
from rltui.events.records import StateChanged
from rltui.profile.locate import ProfileFile, shipped_folder
from rltui.run_state.reader import judged
from rltui.runs.journal import JournalWriter, encode_line
from rltui.runs.lock import RunLock, count_start
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_run
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.launcher import catalog
from rltui.tui.launcher.catalog import CatalogReader
from tests.fakes import data_folder, run_story
from tests.fakes.saved_runs import header, make_run

NOW = 1_764_250_000.0
RUNS = ("alpha", "beta", "gamma")


def write_run(data: DataDir, name: str, rows: int = 400) -> None:
    """A run whose episodes have all ended in its first 100 iterations."""
    paths = data.run(name)
    paths.folder.mkdir(parents=True, exist_ok=True)
    lines = [encode_line(record) for record in run_story.opening(name)]
    for row in range(1, rows + 1):
        base = run_story.iteration(row)
        metrics = {**base.metrics, EPISODES: 7 if row < 100 else 0}
        lines.append(encode_line(msgspec.structs.replace(base, metrics=metrics)))
    paths.journal.write_bytes(b"".join(lines))
    assert sum(map(len, lines)) > 1 << 18


def test_the_first_list_is_brief_and_the_rest_comes_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataDir(tmp_path)
    for name in RUNS:
        write_run(data, name)
    reader = CatalogReader(data, ProfileChecker())
    first = reader.read()
    assert [run.reward.episodes for run in first.runs] == [0, 0, 0] and first.runs[0].iteration == 400
    monkeypatch.setattr(catalog, "FURTHER_SECONDS", 60.0)  # however slow it is here
    further = reader.read_further()
    assert further is not None and reader.read_further() is None
    assert sorted(further.runs, key=lambda run: run.name) == [describe_run(data.run(name)) for name in RUNS]
    assert all(run.reward.episodes > 90 for run in further.runs)
    assert first.verdicts == {} and further.verdicts == {name: judged(data.run(name))[0].line for name in RUNS}
    write_run(data, "alpha", 401)
    changed = reader.read()
    again = changed.run("alpha")
    assert again is not None and again.reward.episodes > 90, "a known run's reward does not go and come"
    assert sorted(changed.verdicts) == sorted(set(RUNS) - {"alpha"}), "an old verdict is none"
    with RunLock(data.run("alpha")):
        reader.read()
        trains = reader.read_further()
    assert trains is None or "alpha" not in trains.verdicts, "the cockpit says it"


def test_what_trains_comes_first_and_all_stand_by_their_starts_whatever_the_clock_says(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    runs = {name: make_run(data, name, commits=1) for name in ("first", "second", "old", "older")}
    for age, paths in enumerate(runs.values()):
        JournalWriter(paths.journal).write(header(time=time.time() + 1000 * age))
    for name in ("older", "old", "first", "second"):
        count_start(runs[name])
    reader = CatalogReader(data, ProfileChecker())
    with ExitStack() as training:
        for name in ("first", "second"):
            training.enter_context(RunLock(runs[name]))
        for name in ("first", "second", "first"):
            JournalWriter(runs[name].journal).write(StateChanged(time=time.time(), state="collecting", reason=""))
            assert [run.name for run in reader.read().runs][:2] == ["second", "first"]
    assert [run.name for run in reader.read().runs] == ["second", "first", "old", "older"]


@pytest.mark.skipif(sys.platform != "linux", reason="pipes, and file names that are no text")
def test_pipes_loops_giants_and_names_that_are_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "profiles"
    folder.mkdir()
    shutil.copy(shipped_folder() / "quick.toml", folder)
    os.mkfifo(folder / "pipe.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "folder.toml").mkdir()
    (folder / "giant.toml").write_bytes(b"#" * 10_000_000)
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00s")
    (folder / os.fsdecode(b"\xff\xfe.toml")).write_text("schema = 1\n", encoding="utf-8")
    monkeypatch.setattr("rltui.tui.launcher.catalog.list_profiles", lambda: listed(folder))
    reader = CatalogReader(DataDir(tmp_path / "data"), ProfileChecker(lambda command: checked(command, capsys)))
    catalog = data_folder.all_checked(reader)
    problems = {
        entry.name: [problem.message for problem in entry.check.errors] for entry in catalog.profiles if entry.check
    }
    assert problems.pop("quick") == []
    assert problems.pop("pipe") == ["is not a regular file"]
    assert problems.pop("folder") == ["is a folder"]
    assert problems.pop("giant") == ["is too large"]
    assert problems.pop("loop") == ["cannot be read: Too many levels of symbolic links"]
    assert set(problems) == {"binary", os.fsdecode(b"\xff\xfe")}
    assert all(problems.values())


def checked(command: Sequence[str], capsys: pytest.CaptureFixture[str]) -> bytes:
    """What the child would print, said in this process."""
    main(command[command.index("rltui") + 1 :])
    return capsys.readouterr().out.encode()


def listed(folder: Path) -> list[ProfileFile]:
    return [ProfileFile(path.stem, path, False) for path in sorted(folder.iterdir())]


def test_only_what_changed_is_read_again(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_two(data, NOW)
    first = reader.read()
    again = reader.read()
    assert all(before is after for before, after in zip(first.runs, again.runs, strict=True))
    data_folder.make_stopped(data, "gamma", iterations=12, time=NOW, ended=False)
    third = reader.read()
    assert [run.name for run in third.runs] == ["gamma", "alpha", "beta"]
    assert third.runs[1] is first.runs[0]
    assert third.runs[0].state == "unclean"
