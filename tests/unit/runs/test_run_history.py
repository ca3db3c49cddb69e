from __future__ import annotations

import random
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished, LogLine, Record, SettingChanged, UpdateDropped
from rltui.runs.journal import JournalWriter, read_journal
from rltui.runs.journal_reader import copy_history, current_records, unclean_end
from rltui.runs.paths import DataDir
from tests.fakes.saved_runs import finish, header, resumed, row


def test_a_resume_takes_back_the_rows_above_it() -> None:
    line = LogLine(time=1.0, level="info", source="trainer", message="kept")
    dropped = UpdateDropped(time=1.0, iteration=3, timesteps=300, source="loss", in_a_row=1)
    records = [
        header(),
        row(100),
        row(200),
        line,
        dropped,
        row(300),
        resumed(200),
        row(250),
        row(350),
        resumed(250),
        row(300),
    ]
    assert current_records(records) == [
        header(),
        row(100),
        row(200),
        line,
        resumed(200),
        row(250),
        resumed(250),
        row(300),
    ]


def test_what_was_changed_by_hand_after_it_is_taken_back_too() -> None:
    """The bot that goes on never trained with it."""
    before, after = (
        SettingChanged(time=1.0, timesteps=steps, setting="reward touch", value=5.0, by="ada") for steps in (150, 250)
    )
    records = [header(), row(100), before, row(200), after, row(300), resumed(200), row(300)]
    assert current_records(records) == [header(), row(100), before, row(200), resumed(200), row(300)]


def test_no_resume_no_change() -> None:
    records = [header(), row(1), row(2), finish(2)]
    assert current_records(records) == records
    assert current_records([]) == []


def test_a_branch_begins_with_its_parents_history(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    parent, branch = data.run("alpha"), data.run("alpha-b2")
    parent.folder.mkdir(parents=True), branch.folder.mkdir()
    writer = JournalWriter(parent.journal)
    for record in (header(), row(100), row(200), row(300), resumed(100), row(210), row(310)):
        writer.write(record)
    target = JournalWriter(branch.journal)
    assert copy_history(parent, target, 210) == 2
    assert list(read_journal(branch.journal)) == [row(100), row(210)]


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 10), marks=pytest.mark.slow)])
def test_a_branch_gets_what_counts_after_any_resumes(subtests: pytest.Subtests, tmp_path: Path, seeds: range) -> None:
    """A slow twin has all of the journal in memory."""
    for seed in seeds:
        with subtests.test(seed=seed):
            draw, data = random.Random(seed), DataDir(tmp_path / str(seed))
            parent, branch = data.run("alpha"), data.run("alpha-b2")
            parent.folder.mkdir(parents=True), branch.folder.mkdir()
            writer = JournalWriter(parent.journal, part_bytes=draw.choice((500, 1 << 20)))
            records: list[Record] = [header()]
            for _ in range(draw.choice((3, 60))):
                records.append(draw.choice((row, row, row, resumed))(draw.randrange(500)))
            for record in records:
                writer.write(record)
            expected = [
                one for one in current_records(records) if isinstance(one, IterationFinished) and one.timesteps <= 300
            ]
            target = JournalWriter(branch.journal)
            assert copy_history(parent, target, 300) == len(expected)
            assert list(read_journal(branch.journal)) == expected


def test_clean_and_unclean_ends(tmp_path: Path) -> None:
    """F37, what the journal says."""
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    assert unclean_end(paths) is None, "there was no session"
    writer = JournalWriter(paths.journal)
    writer.write(header(pid=77))
    told = unclean_end(paths)
    assert told is not None and "pid 77 on tower, started 2023-11-14 22:13:20 UTC" in told
    writer.write(row(1))
    assert unclean_end(paths) is not None
    writer.write(finish(1))
    assert unclean_end(paths) is None
    writer.write(LogLine(time=1.0, level="info", source="trainer", message="a word after the end"))
    assert unclean_end(paths) is None
    writer.write(header(pid=78))
    writer.write(row(2))
    told = unclean_end(paths)
    assert told is not None and "pid 78" in told and "2023-11-14 22:13:22 UTC" in told


def test_an_unclean_end_is_seen_when_the_header_is_far_away(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    writer = JournalWriter(paths.journal)
    writer.write(header(pid=77))
    for timesteps in range(4000):
        writer.write(row(timesteps))
    told = unclean_end(paths)
    assert told is not None and "pid 77" not in told and "did not end cleanly" in told
