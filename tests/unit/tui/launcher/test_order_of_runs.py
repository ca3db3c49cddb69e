"""The launcher's runs do not change places while they train."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from rltui.events.records import StateChanged
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.launcher.catalog import CatalogReader
from tests.fakes.saved_runs import header, make_run


def test_what_trains_stands_by_its_start_and_what_has_ended_by_its_last_word(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    runs = {name: make_run(data, name, commits=1) for name in ("first", "second", "old", "older")}
    for age, paths in enumerate(runs.values()):
        JournalWriter(paths.journal).write(header(time=time.time() - 1000 * age))
    reader = CatalogReader(data, ProfileChecker())
    with ExitStack() as training:
        for name in ("first", "second"):
            training.enter_context(RunLock(runs[name]))
        for name in ("first", "second", "first"):
            JournalWriter(runs[name].journal).write(StateChanged(time=time.time(), state="collecting", reason=""))
            assert [run.name for run in reader.read().runs][:2] == ["second", "first"]
    assert [run.name for run in reader.read().runs][:2] == ["first", "second"]
