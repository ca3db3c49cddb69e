"""The journal's cache: used when it fits, rebuilt when it does not, never trusted over the journal."""

from __future__ import annotations

import math
import random
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished, LogLine, Record
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import AUDIT_ENTRIES, LOG_LINES, RunSnapshot
from rltui.runs import journal_cache
from rltui.runs.journal import JournalWriter, encode_line, rotated_parts
from rltui.runs.journal_cache import (
    NEWEST,
    CachedJournal,
    IterationRows,
    Segment,
    ThinnedJournal,
    cache_path,
    read_thinned,
)
from tests.fakes.saved_runs import row

PART_BYTES = 3400  # about 25 rows


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_cache, "WORTH", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    write(path, 0, 100)
    return path


def write(path: Path, first: int, last: int) -> None:
    writer = JournalWriter(path, PART_BYTES)
    for timesteps in range(first, last):
        writer.write(row(timesteps))
    writer.close()


def polled(journal: CachedJournal) -> list[Record | IterationRows]:
    found: list[Record | IterationRows] = []
    while records := journal.poll():
        found += records
    return found


def steps(path: Path) -> list[float]:
    """The timesteps of all rows, as a viewer that attaches now has them."""
    return list(fold(RunSnapshot(), polled(CachedJournal(path))).history.timesteps)


def parsed(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many records of the journal itself are read on attaching now."""
    count = 0
    poll = journal_cache.JournalTail.poll

    def counting(tail: journal_cache.JournalTail) -> list[Record]:
        nonlocal count
        records = poll(tail)
        count += len(records)
        return records

    with monkeypatch.context() as patched:
        patched.setattr(journal_cache.JournalTail, "poll", counting)
        assert steps(path) == list(range(len(steps(path))))
    return count // 2


def test_what_has_been_read_once_is_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(rotated_parts(path)) == 3
    assert steps(path) == list(range(100))
    assert parsed(path, monkeypatch) == 0
    write(path, 100, 105)
    assert steps(path) == list(range(105))


def test_the_cache_of_the_current_part_serves_after_its_rotation(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps(path) == list(range(100))
    write(path, 100, 120)
    assert len(rotated_parts(path)) == 4
    kept = read_thinned(rotated_parts(path)[-1][1], cache_path(path))
    assert kept is not None and kept.covers > 0
    assert steps(path) == list(range(120))


def flip(content: bytes) -> bytes:
    return content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]


def test_a_torn_or_foreign_cache_is_rebuilt(
    subtests: pytest.Subtests, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[Callable[[bytes], bytes]] = [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        flip,
        lambda content: b"\x00" * len(content),
        lambda content: b"PK\x03\x04" + content,
        lambda content: b"rltui\x00j2\xff\xff\xff\xff\x00\x00\x00\x00",
    ]
    for harm in cases:
        with subtests.test(harm=repr(harm)):
            steps(path)
            cache = cache_path(rotated_parts(path)[1][1])
            good = cache.read_bytes()
            cache.write_bytes(harm(good))
            assert steps(path) == list(range(100))
            assert len(cache.read_bytes()) == len(good)
            assert parsed(path, monkeypatch) == 0


def test_a_journal_that_was_changed_wins_over_its_cache(subtests: pytest.Subtests, path: Path) -> None:
    for longer in [False, True]:
        with subtests.test(longer=longer):
            steps(path)
            part = rotated_parts(path)[1][1]
            lines = part.read_bytes().splitlines(keepends=True)
            lines[0] = encode_line(row(26, reward=7.0))
            if longer:
                lines.append(encode_line(row(51, reward=7.0)))
            part.write_bytes(b"".join(lines))
            rows = fold(RunSnapshot(), polled(CachedJournal(path))).history
            assert rows.columns["rollout/policy_reward"].count(7.0) == 1 + longer


def test_a_journal_that_was_cut_wins_over_its_cache(path: Path) -> None:
    steps(path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    left = steps(path)
    assert left == list(range(len(left))) and len(left) < 100


def test_the_cache_of_another_version_is_rebuilt(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(journal_cache, "Record", LogLine | IterationFinished)  # all that it knows
        steps(path)
    assert all(read_thinned(part) is None for _, part in rotated_parts(path))
    assert steps(path) == list(range(100))
    assert all(read_thinned(part) is not None for _, part in rotated_parts(path))


def test_a_folder_that_may_only_be_read_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "read-only")

    monkeypatch.setattr(journal_cache, "replace_file", refuse)
    assert steps(path) == list(range(100))
    assert list(path.parent.glob("*.cache")) == []


def test_a_rotation_while_it_is_read_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete = journal_cache._complete
    todo = [130, 160]

    def disturbed(part: journal_cache._Part) -> None:
        complete(part)
        if part.number == 0 and todo:
            write(path, todo[0] - 30, todo.pop(0))

    monkeypatch.setattr(journal_cache, "_complete", disturbed)
    assert steps(path) == list(range(160))


@pytest.mark.parametrize("more", [20, 60, 200])
def test_what_was_rotated_in_the_midst_of_reading_is_not_kept_as_the_part_after(
    path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """The next viewer would have its rows twice."""
    poll, todo = journal_cache.JournalTail.poll, [more]

    def disturbed(tail: journal_cache.JournalTail) -> list[Record]:
        records = poll(tail)
        if records and tail._path == path and todo:
            write(path, 100, 100 + todo.pop())
        return records

    with monkeypatch.context() as patched:
        patched.setattr(journal_cache.JournalTail, "poll", disturbed)
        assert steps(path) == list(range(100 + more))
    assert steps(path) == list(range(100 + more))


def test_no_journal_is_empty(tmp_path: Path) -> None:
    journal = CachedJournal(tmp_path / "journal.jsonl")
    assert journal.newest() == [] and journal.poll() == []
    write(tmp_path / "journal.jsonl", 0, 3)
    assert len(journal.poll()) == 3


def test_the_end_of_a_long_journal_comes_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_cache, "LONG", 1000)
    monkeypatch.setattr(journal_cache, "END", 1000)
    journal = CachedJournal(path)
    end = [record.timesteps for record in journal.newest() if isinstance(record, IterationFinished)]
    assert 0 < len(end) < 20 and end[-1] == 99
    assert list(fold(RunSnapshot(), polled(journal)).history.timesteps) == list(range(100))
    assert CachedJournal(path).newest() == [], "now it is all kept"


def test_more_is_kept_than_is_shown() -> None:
    assert max(LOG_LINES, AUDIT_ENTRIES) <= NEWEST


def test_a_flood_of_lines_takes_no_more_memory_than_the_newest() -> None:
    thin = ThinnedJournal()
    for number in range(10 * NEWEST):
        thin.take(LogLine(time=float(number), level="info", source="s", message="m"))
    assert len(thin.segments[0].lines) <= 5 * NEWEST
    thin.thin(Counter())
    assert (len(thin.segments[0].lines), thin.omitted) == (NEWEST, 9 * NEWEST)


KEYS = ("a", "train/b", "c", "weight/d")


def some_rows(rng: random.Random, count: int) -> list[IterationFinished]:
    """Runs of rows with the same keys, some of them in another order; some figures are not known."""
    rows = []
    keys = list(KEYS)
    for number in range(count):
        if rng.random() < 0.2:
            keys = rng.sample(KEYS, rng.randint(0, len(KEYS)))
        metrics = {key: rng.choice((None, rng.randrange(64) / 64, float(number))) for key in keys}
        rows.append(IterationFinished(time=float(number), iteration=number, timesteps=10 * number, metrics=metrics))
    return rows


def one_by_one(rows: list[IterationFinished]) -> dict[str, list[float | None]]:
    """The slow twin; None stands for NaN, which equals nothing."""
    figures = [row.columns() for row in rows]
    return {key: [row.get(key) for row in figures] for key in {key for row in figures for key in row}}


def as_lists(columns: dict[str, array[float]]) -> dict[str, list[float | None]]:
    return {key: [None if math.isnan(value) else value for value in column] for key, column in columns.items()}


def test_columns_are_those_of_single_appends(subtests: pytest.Subtests) -> None:
    for seed in range(30):
        with subtests.test(seed=seed):
            rng = random.Random(seed)
            rows = some_rows(rng, 40)
            segment = Segment()
            for count, row in enumerate(rows, 1):
                segment.add_row(row)
                if rng.random() < 0.3:  # somebody looks in between
                    assert as_lists(segment.columns) == one_by_one(rows[:count])
            assert as_lists(segment.columns) == one_by_one(rows)
            assert list(segment.timesteps) == [row.timesteps for row in rows]
            assert {len(column) for column in segment.columns.values()} == {len(rows)}


def test_bad_lines_are_counted_over_all_parts_with_the_cache_as_without(path: Path) -> None:
    for _, part in rotated_parts(path)[:2]:
        part.write_bytes(b"no record\n" + part.read_bytes() + b'{"event":"from_the_future"}\n\n')
    with path.open("ab") as file:
        file.write(b"\xff\n")
    for _ in range(2):
        journal = CachedJournal(path)
        polled(journal)
        assert journal.bad_lines == 5
    with path.open("ab") as file:
        file.write(b"[]\n")
    polled(journal)
    assert journal.bad_lines == 6
    assert len(steps(path)) == 100
