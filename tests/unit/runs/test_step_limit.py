"""The step limit of a run's newest start, found in its journal wherever that start is."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.events.records import LogLine
from rltui.runs.journal import END_BYTES, JournalWriter, encode_line
from rltui.runs.journal_reader import step_limit
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.saved_runs import finish, header, make_run, row


def started(paths: RunPaths, *limits: int | None, rows: int = 3) -> None:
    writer = JournalWriter(paths.journal)
    for limit in limits:
        writer.write(msgspec.structs.replace(header(), step_limit=limit))
        for number in range(1, rows + 1):
            writer.write(row(1000 * number))
    writer.write(finish(1000 * rows))
    writer.close()


def test_that_of_the_newest_start_counts(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[tuple[int | None, ...], int | None]] = [
        ((40_000,), 40_000),
        ((40_000, None), None),
        ((None, 9000, 7000), 7000),
    ]
    for limits, found in cases:
        with subtests.test(limits=repr(limits), found=repr(found)):
            paths = make_run(DataDir(tmp_path), commits=0)
            started(paths, *limits)
            assert step_limit(paths) == found


def test_a_start_long_ago_is_found(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000, rows=3 * END_BYTES // 120)
    assert paths.journal.stat().st_size > 2 * END_BYTES
    assert step_limit(paths) == 40_000


def test_a_start_of_days_ago_is_found_in_the_oldest_part(tmp_path: Path) -> None:
    """Of what lies between, only lines that speak of a start are read, and what merely names one is none."""
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000)
    said = LogLine(time=1.0, level="info", source="run_started", message="a header is another thing")
    filler = (encode_line(row(5000)) * 5000 + encode_line(said)) * 23
    for number in range(1, 6):
        paths.journal.rename(paths.journal.with_name(f"journal.{number}.jsonl"))
        paths.journal.write_bytes(filler)
    assert sum(part.stat().st_size for part in paths.folder.glob("journal*")) > 64 << 20
    assert step_limit(paths) == 40_000


def test_what_is_no_journal_but_gigabytes_of_nothing_is_passed_over(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000)
    paths.journal.rename(paths.journal.with_name("journal.1.jsonl"))
    with paths.journal.open("wb") as file:
        file.truncate(100 << 20)  # one line, as far as anybody can tell, of zeros
    assert step_limit(paths) == 40_000


def test_without_a_journal_there_is_none(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    assert step_limit(paths) is None
    paths.journal.write_bytes(b"\xff\x00 no record\n")
    assert step_limit(paths) is None
