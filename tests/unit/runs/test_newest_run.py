"""The run that was heard of last: by its newest record, by its saved states where there is no journal."""

from __future__ import annotations

from pathlib import Path

from rltui.events.records import LogLine, Record
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_runs, newest_run
from tests.fakes.saved_runs import row


def write(data: DataDir, name: str, *records: Record) -> None:
    paths = data.run(name)
    paths.folder.mkdir(parents=True, exist_ok=True)
    writer = JournalWriter(paths.journal)
    for record in records:
        writer.write(record)
    writer.close()


def test_none_where_there_are_no_runs(tmp_path: Path) -> None:
    assert newest_run(DataDir(tmp_path)) is None


def test_it_is_the_one_that_lists_name_first(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    for name, moment in (("alpha", 5.0), ("beta", 9.0), ("gamma", 7.0)):
        write(data, name, row(1), LogLine(time=moment, level="info", source="trainer", message="x" * 20_000))
        write(data, name, LogLine(time=moment, level="info", source="trainer", message="y"))
    (tmp_path / "runs" / "empty").mkdir()
    assert newest_run(data) == "beta" == describe_runs(data)[0].name


def test_a_run_of_which_nothing_is_known_is_better_than_none(tmp_path: Path) -> None:
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    assert newest_run(DataDir(tmp_path)) == "empty"
