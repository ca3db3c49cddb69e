"""What is told of a run that a trainer in the background has just opened."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.events.records import CurriculumPlanned, LogLine, Record, RunResumed
from rltui.runs.journal import JournalWriter
from rltui.supervise.launch import start_messages
from tests.fakes import run_story

OLD = run_story.header()
NEW = msgspec.structs.replace(OLD, pid=77)
RESUMED = RunResumed(time=1.0, timesteps=4096, checkpoint="c", reason="alpha goes on from 4,096: its newest checkpoint")
BEGUN = LogLine(time=1.0, level="info", source="runs", message="alpha begins: there is no run of quick")
WARNING = LogLine(time=1.0, level="warning", source="runs", message="touch.py has changed since")
DETAIL = LogLine(time=1.0, level="info", source="workers", message="2 workers")
PLAN = CurriculumPlanned(time=1.0, timesteps=0, phases=[], stages=[], window=100, schedules=[])


def written(path: Path, *records: Record) -> Path:
    writer = JournalWriter(path, 1_000_000)
    for record in records:
        writer.write(record)
    writer.close()
    return path


def test_the_reason_and_the_warnings_of_this_start(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for records, words in [
        ([OLD, BEGUN, PLAN, NEW, RESUMED, WARNING, PLAN, DETAIL], [RESUMED.reason, f"! {WARNING.message}"]),
        ([NEW, BEGUN, DETAIL, PLAN, WARNING], [BEGUN.message]),
    ]:
        with subtests.test(records=records, words=words):
            assert start_messages(written(tmp_path / "journal", *records), 77) == words


def test_what_comes_a_moment_later_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = written(tmp_path / "journal", NEW)
    monkeypatch.setattr("time.sleep", lambda seconds: written(journal, RESUMED, PLAN))
    assert start_messages(journal, 77) == [RESUMED.reason]


def test_nobody_waits_for_what_never_comes(tmp_path: Path) -> None:
    assert start_messages(written(tmp_path / "journal", OLD, BEGUN, PLAN), 77, patience=0.0) == []
    assert start_messages(tmp_path / "nothing", 77, patience=0.0) == []
