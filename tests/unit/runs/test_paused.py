"""A run that is held by hand says so, and since when, wherever runs are listed."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from rltui.__main__ import main
from rltui.cli.run_status import read_status, status_lines
from rltui.events.records import Record, StateChanged, TrainerState
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import describe_run
from rltui.tui.browser.library import LibraryReader
from rltui.tui.browser.tree import rows
from rltui.tui.launcher.tree import state_sign
from rltui.tui.text import plain
from tests.fakes.saved_runs import finish, header, make_run, row


def state(name: TrainerState, at: float) -> StateChanged:
    return StateChanged(time=at, state=name, reason="by ada")


def write(paths: RunPaths, *records: Record) -> None:
    writer = JournalWriter(paths.journal)
    for record in records:
        writer.write(record)


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    found = make_run(DataDir(tmp_path), commits=1)
    write(found, header(), row(1000))
    return found


def test_paused_since_and_until_it_goes_on(paths: RunPaths) -> None:
    with RunLock(paths):
        now = time.time()
        assert describe_run(paths).paused is None
        write(paths, state("paused", now + 1), state("saving", now + 2), state("paused", now + 3))
        run = describe_run(paths)
        assert (run.state, run.paused, state_sign(run)[1]) == ("training", now + 1, "paused")
        write(paths, state("collecting", now + 4))
        assert describe_run(paths).paused is None
        write(paths, state("paused", now + 5))
        assert describe_run(paths).paused == now + 5
    assert describe_run(paths).paused is None, "its trainer is gone"


def test_a_pause_of_an_earlier_trainer_is_none_of_this_one(paths: RunPaths) -> None:
    write(paths, state("paused", 1_700_000_050.0))
    with RunLock(paths):
        assert describe_run(paths).paused is None
    write(paths, finish(1000), header(time=time.time()))
    with RunLock(paths):
        assert describe_run(paths).paused is None


def test_lists_say_so(paths: RunPaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = LibraryReader(DataDir(tmp_path))
    with RunLock(paths):
        *_, library = reader.read()
        assert "▶ alpha" in plain(row.line for row in rows(library, frozenset(), 40))
        write(paths, state("paused", time.time()))
        *_, library = reader.read()
        assert "‖ alpha" in plain(row.line for row in rows(library, frozenset(), 40))
        assert main(["--data-dir", str(tmp_path), "ls"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("alpha"))
    assert line.split()[1] == "paused"


def test_status_says_for_how_long(paths: RunPaths) -> None:
    status = msgspec.structs.replace(read_status(paths), state="paused", paused=time.time() - 125, note="by ada")
    assert any("paused for 2 min 05 s: by ada" in line for line in status_lines(status))


def test_status_says_updating_for_learning_is_what_a_bot_does(paths: RunPaths) -> None:
    status = msgspec.structs.replace(read_status(paths), state="learning")
    text = "\n".join(status_lines(status))
    assert "updating" in text and "learning" not in text
