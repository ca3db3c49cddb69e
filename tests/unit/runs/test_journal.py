"""The journal: written, rotated, torn, followed; no record is lost or glued to another."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from rltui.events.records import LogLine, Record
from rltui.runs import journal as journal_module
from rltui.runs.journal import JournalTail, JournalWriter, read_end, read_journal, read_start, rotated_parts
from tests.fakes.saved_runs import header, row

ROW_BYTES = len(
    b'{"event":"iteration_finished","time":1700000000.0,"elapsed":null,"iteration":0,"timesteps":0,"metrics":{"rollout/policy_reward":0.0}}\n'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def steps(records: list[Record]) -> list[int]:
    return [record.timesteps for record in records]


def test_one_json_object_a_line(path: Path) -> None:
    writer = JournalWriter(path)
    assert writer.write(row(0))
    assert path.stat().st_size == ROW_BYTES, "on disk before close"
    assert json.loads(path.read_text()) == {
        "event": "iteration_finished",
        "time": 1.7e9,
        "elapsed": None,
        "iteration": 0,
        "timesteps": 0,
        "metrics": {"rollout/policy_reward": 0.0},
    }
    assert writer.write(row(1, reward=float("nan")))
    writer.close()
    assert json.loads(path.read_text().splitlines()[1])["metrics"] == {"rollout/policy_reward": None}


def test_a_file_that_was_taken_away_is_noticed(path: Path) -> None:
    writer = JournalWriter(path, part_bytes=3 * ROW_BYTES)
    for timesteps in range(9):  # rotations take nothing away
        writer.write(row(timesteps))
        assert not writer.gone
    path.unlink()
    assert writer.gone
    path.write_bytes(b"")
    assert writer.gone, "another file of that name is not it"
    writer.close()


def test_a_second_writer_appends(path: Path) -> None:
    for timesteps in range(3):
        writer = JournalWriter(path)
        writer.write(row(timesteps))
        writer.close()
    assert steps(list(read_journal(path))) == [0, 1, 2]


@pytest.mark.parametrize("cut", [1, 2, 40, ROW_BYTES - 1])
def test_a_torn_line_never_glues_to_the_next_record(path: Path, cut: int) -> None:
    writer = JournalWriter(path)
    writer.write(row(0)), writer.write(row(1))
    writer.close()
    path.write_bytes(path.read_bytes()[:-cut])
    tail = JournalTail(path)
    assert steps(tail.poll()) == [0]
    writer = JournalWriter(path)
    writer.write(row(2))
    writer.close()
    survived = [1] if cut == 1 else []  # only the newline was lost: the record is whole
    assert steps(list(read_journal(path))) == [0, *survived, 2]
    assert steps(tail.poll()) == [*survived, 2]


def test_rotation_keeps_every_part_in_order(path: Path) -> None:
    writer = JournalWriter(path, part_bytes=3 * ROW_BYTES)
    for timesteps in range(100):
        writer.write(row(timesteps))
    writer.close()
    numbers = [number for number, _ in rotated_parts(path)]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 20  # 10 and more: order is by number
    assert rotated_parts(path)[0][1].name == "journal.1.jsonl"
    assert steps(list(read_journal(path))) == list(range(100))
    writer = JournalWriter(path, part_bytes=3 * ROW_BYTES)
    for timesteps in range(100, 110):
        writer.write(row(timesteps))
    writer.close()
    assert steps(list(read_journal(path))) == list(range(110))


def test_an_old_part_may_be_gone(path: Path) -> None:
    writer = JournalWriter(path, part_bytes=3 * ROW_BYTES)
    for timesteps in range(12):
        writer.write(row(timesteps))
    rotated_parts(path)[0][1].unlink()
    assert steps(list(read_journal(path)))[-1] == 11
    for timesteps in range(12, 20):
        writer.write(row(timesteps))
    assert steps(list(read_journal(path))) == list(range(20 - len(list(read_journal(path))), 20))


def test_a_tail_misses_nothing_over_several_rotations_between_polls(path: Path) -> None:
    writer, tail = JournalWriter(path, part_bytes=2 * ROW_BYTES), JournalTail(path)
    assert tail.poll() == []
    seen, written = [], 0
    for burst in (1, 1, 9, 0, 2, 30, 1):
        for _ in range(burst):
            writer.write(row(written))
            written += 1
        while records := tail.poll():
            seen += steps(records)
        assert seen == list(range(written))


def test_a_rotation_in_the_middle_of_a_poll(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is renamed after the tail chose it and before it opened it."""
    writer, tail = JournalWriter(path, part_bytes=2 * ROW_BYTES), JournalTail(path)
    writer.write(row(0))
    assert steps(tail.poll()) == [0]
    writer.write(row(1))
    read = journal_module._read_from
    rotations = iter([True])

    def slow(file: Path, offset: int, limit: int) -> bytes:
        if next(rotations, False):
            for timesteps in (2, 3, 4):  # rotates before the first of them
                writer.write(row(timesteps))
        return read(file, offset, limit)

    monkeypatch.setattr(journal_module, "_read_from", slow)
    seen = []
    while records := tail.poll():
        seen += steps(records)
    assert seen == [1, 2, 3, 4]


def test_a_tail_leaves_a_line_that_is_still_being_written(path: Path) -> None:
    tail = JournalTail(path)
    line = journal_module.encode_line(row(5))
    with path.open("ab", buffering=0) as file:
        for byte in line[:-1]:
            file.write(bytes([byte]))
            assert tail.poll() == []
        file.write(line[-1:])
    assert steps(tail.poll()) == [5]
    assert tail.poll() == []


def test_what_is_no_record_is_skipped_and_counted(subtests: pytest.Subtests, path: Path) -> None:
    cases: list[bytes] = [
        b"\x00" * 50,
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"event":"from_the_future","time":1}',
        b'{"event":"iteration_finished"}',
        b'{"event":"log_line","x":' + b"[" * 50_000,
        b"\x80\x04N.",
        b"",
        b" ",
    ]
    for garbage in cases:
        with subtests.test(garbage=repr(garbage)):
            lines = [journal_module.encode_line(row(0)), garbage + b"\n", journal_module.encode_line(row(1))]
            path.write_bytes(b"".join(lines))
            tail = JournalTail(path)
            assert steps(tail.poll()) == [0, 1] == steps(read_end(path))
            assert tail.bad_lines == (1 if garbage else 0)


def test_a_line_longer_than_a_poll_is_skipped(path: Path) -> None:
    before, after = journal_module.encode_line(row(0)), journal_module.encode_line(row(1))
    path.write_bytes(before + b"x" * 1000 + b"\n" + after)
    tail, seen = JournalTail(path), []
    while records := tail.poll(limit=300):
        seen += steps(records)
    assert (seen, tail.bad_lines) == ([0, 1], 1)


def test_a_long_journal_is_polled_in_pieces(path: Path) -> None:
    path.write_bytes(b"".join(journal_module.encode_line(row(timesteps)) for timesteps in range(1000)))
    tail = JournalTail(path)
    first = tail.poll(limit=10 * ROW_BYTES)
    assert 0 < len(first) <= 10
    rest = []
    while records := tail.poll(limit=10 * ROW_BYTES):
        rest += records
    assert steps(first + rest) == list(range(1000))


def test_no_journal(path: Path) -> None:
    assert list(read_journal(path)) == [] == read_end(path) == read_start(path) == JournalTail(path).poll()
    path.mkdir()
    assert list(read_journal(path)) == [] == read_end(path) == read_start(path)


def test_the_end_and_the_start_of_a_long_journal(path: Path) -> None:
    writer = JournalWriter(path, part_bytes=20 * ROW_BYTES)
    writer.write(header())
    for timesteps in range(500):
        writer.write(row(timesteps))
    for limit in (1, ROW_BYTES, 5 * ROW_BYTES, 100 * ROW_BYTES, 10**6):
        records = read_end(path, limit)
        assert len(records) >= min(501, limit // (ROW_BYTES + 10) - 7)
        assert steps(records) == [0, *range(500)][-len(records) :] if records else True
    assert read_start(path)[0] == header()


def test_records_wait_in_order_while_the_disk_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system takes parts of a line, or nothing, and then all: nothing is lost, torn or twice."""
    writer = JournalWriter(path)
    real, allowance = os.write, [ROW_BYTES + 30]

    def limited(descriptor: int, content: bytes) -> int:
        count = min(len(content), allowance[0])
        if count == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        allowance[0] -= count
        return real(descriptor, content[:count])

    monkeypatch.setattr(os, "write", limited)
    assert [writer.write(row(timesteps)) for timesteps in range(4)] == [True, False, False, False]
    assert writer.waiting == 3
    allowance[0] = 20
    assert not writer.write(row(4))
    assert steps(list(read_journal(path))) == [0]
    allowance[0] = 10**6
    assert writer.write(row(5))
    assert (writer.waiting, writer.lost) == (0, 0)
    assert path.read_bytes() == b"".join(journal_module.encode_line(row(timesteps)) for timesteps in range(6))


def test_the_oldest_waiting_records_are_given_up_when_too_many_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "PENDING_BYTES", 10 * ROW_BYTES)
    writer = JournalWriter(path)
    monkeypatch.setenv("RLTUI_FAULT", "journal.write:enospc:*")
    for timesteps in range(100):
        assert not writer.write(row(timesteps))
    monkeypatch.delenv("RLTUI_FAULT")
    writer.close()
    written = steps(list(read_journal(path)))
    assert written == list(range(100 - len(written), 100))
    assert len(written) == 100 - writer.lost and 5 <= len(written) <= 10


def test_text_that_is_no_unicode_is_written_all_the_same(path: Path) -> None:
    writer = JournalWriter(path)
    writer.write(LogLine(time=1.0, level="error", source="worker", message="no file \udcff.py", worker=0))
    writer.close()
    (record,) = read_journal(path)
    assert isinstance(record, LogLine) and record.message == "no file ?.py"


def test_writing_a_record_is_one_write_that_waits_for_no_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, written, write = JournalWriter(path), [], os.write
    metrics = {f"metric/{number}": 1.5 for number in range(45)}
    record = row(1)
    big = type(record)(time=1.0, iteration=1, timesteps=1, metrics=metrics)
    monkeypatch.setattr(os, "write", lambda descriptor, line: written.append(write(descriptor, line)) or written[-1])
    monkeypatch.setattr(os, "fsync", None)
    for _ in range(20):
        writer.write(big)
    assert written == [len(journal_module.encode_line(big))] * 20
