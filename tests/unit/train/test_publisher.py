"""Publisher: journal always, one report of a full disk, subscribers that may fail, threads that go on after an error."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from rltui.events.records import IterationFinished, LogLine, Record
from rltui.runs.journal import JournalTail, JournalWriter
from rltui.train.publisher import Publisher, QueueThread

SOON = 20.0  # seconds


def test_an_error_in_handing_on_is_shown_once_and_the_rest_is_handed_on(capfd: pytest.CaptureFixture[str]) -> None:
    taken: list[int] = []

    def hand_on(item: int) -> None:
        if item % 2:
            raise ZeroDivisionError(f"at {item}")
        taken.append(item)

    outlet = QueueThread("numbers", hand_on)
    outlet.start()
    for item in range(6):
        outlet.put(item)
    assert outlet.drain(SOON)
    assert taken == [0, 2, 4]
    assert outlet.close(SOON)
    shown = capfd.readouterr().err
    assert "ZeroDivisionError: at 1" in shown and "at 3" not in shown


def test_what_comes_while_too_many_wait_is_dropped_and_told_in_its_place() -> None:
    taken: list[int] = []
    outlet = QueueThread("numbers", taken.append, most=3, missed=lambda dropped: -dropped)
    for item in range(5):
        outlet.put(item)
    outlet.start()
    assert outlet.drain(SOON)
    assert taken == [0, 1, 2, -2], "also where nothing comes after it"
    outlet.put(5)
    assert outlet.drain(SOON)
    assert taken == [0, 1, 2, -2, 5]
    assert outlet.close(SOON)


def test_every_gap_is_told() -> None:
    """Held, let go, held again."""
    taken: list[int] = []
    held, go = threading.Event(), threading.Event()

    def hand_on(item: int) -> None:
        held.set()
        assert go.wait(SOON)
        taken.append(item)

    outlet = QueueThread("numbers", hand_on, most=2, missed=lambda dropped: -dropped)
    outlet.start()
    for first in (10, 20):
        held.clear()
        go.clear()
        outlet.put(first)
        assert held.wait(SOON)
        for item in range(first + 1, first + 6):
            outlet.put(item)
        go.set()
        assert outlet.drain(SOON)
    assert taken == [10, 11, 12, -3, 20, 21, 22, -3]
    assert outlet.close(SOON)


def test_two_threads_may_put_something_in_while_it_is_full() -> None:
    """One drops an item while the other's finds room again, in the midst of it."""
    taken: list[int] = []
    outlet = QueueThread("numbers", taken.append, most=0, missed=lambda dropped: -dropped)

    class Overtaken(deque[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            outlet._gap = None

    outlet._items = Overtaken()
    outlet.put(1)
    outlet.put(2)
    outlet.start()
    assert outlet.close(SOON)
    assert taken == [-1, -1]


class FakeJournal:
    """Keeps records; while `full`, they wait."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.full = False
        self.lost = 0
        self.waiting = 0
        self.gone = False

    def write(self, record: Record) -> bool:
        self.records.append(record)
        return not self.full


def line(text: str) -> LogLine:
    return LogLine(time=1.0, level="info", source="test", message=text)


def test_every_record_reaches_the_journal_and_each_subscriber_who_may_publish_too() -> None:
    journal = FakeJournal()
    seen: list[Record] = []
    publisher = Publisher(journal, subscribers=[seen.append])
    for text in "abc":
        publisher.publish(line(text))
    assert journal.records == seen == [line("a"), line("b"), line("c")]

    journal = FakeJournal()
    Publisher(journal, clock=lambda: 7.0).log("warning", "worker", "slow", worker=3)
    assert journal.records == [LogLine(time=7.0, level="warning", source="worker", message="slow", worker=3)]

    journal = FakeJournal()
    publisher = Publisher(journal)

    def echo(record: Record) -> None:
        if record == line("a"):
            publisher.publish(line("echo"))

    publisher = Publisher(journal, subscribers=[echo])
    publisher.publish(line("a"))
    assert journal.records == [line("a"), line("echo")]


def test_a_full_disk_is_reported_once_each_time_and_its_end_too() -> None:
    journal = FakeJournal()
    seen: list[Record] = []
    publisher = Publisher(journal, subscribers=[seen.append])
    journal.full = True
    for text in "abc":
        publisher.publish(line(text))
    reports = [record for record in seen if isinstance(record, LogLine) and record.source == "journal"]
    assert [report.level for report in reports] == ["error"]
    assert "training goes on" in reports[0].message
    journal.full, journal.lost = False, 2
    publisher.publish(line("d"))
    publisher.publish(line("e"))
    reports = [record for record in seen if isinstance(record, LogLine) and record.source == "journal"]
    assert [report.level for report in reports] == ["error", "warning"]
    assert "2 records were lost" in reports[1].message
    assert journal.records == seen

    journal = FakeJournal()
    publisher = Publisher(journal)
    for full in (True, False, True, False):
        journal.full = full
        publisher.publish(line("x"))
    reports = [record for record in journal.records if isinstance(record, LogLine) and record.source == "journal"]
    assert [report.level for report in reports] == [
        "error",
        "info",
        "error",
        "info",
    ]


def test_a_journal_that_was_taken_away_is_said_once_where_it_can_be_read() -> None:
    journal = FakeJournal()
    seen: list[Record] = []
    publisher = Publisher(journal, subscribers=[seen.append])
    journal.gone = True
    for text in "abc":
        publisher._next_look = 0.0
        publisher.publish(line(text))
    said = [record for record in seen if isinstance(record, LogLine) and record.source == "journal"]
    assert [record.level for record in said] == ["error"]
    assert "the run's folder is gone" in said[0].message
    assert journal.records == [line("a"), line("b"), line("c")]


@pytest.mark.parametrize("started", [False, True])
def test_a_record_that_no_journal_can_hold_is_counted_and_said_and_all_others_are_written(
    started: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    journal, seen = JournalWriter(tmp_path / "journal.jsonl"), list[Record]()
    publisher = Publisher(journal, subscribers=[seen.append])
    if started:
        publisher.start()
    bad = IterationFinished(time=1.0, iteration=1, timesteps=1, metrics={"train/entropy": object()})  # type: ignore[dict-item]
    for record in (line("a"), bad, line("b"), bad, bad, line("c")):
        publisher.publish(record)
    publisher.close()
    written = JournalTail(tmp_path / "journal.jsonl").poll()
    assert [record for record in written if record in (line("a"), line("b"), line("c"))] == [line(x) for x in "abc"]
    said = [record for record in written if isinstance(record, LogLine) and record.source == "journal"]
    assert [record.level for record in said] == ["error", "error"], "what it is, and how many in the end"
    assert "IterationFinished" in said[0].message and "TypeError" in said[0].message
    assert said[1].message.startswith("3 ")
    assert seen.count(bad) == 3 and all(record in seen for record in said), "the terminal has them all"
    assert capfd.readouterr().err.count("Traceback") == 1


@pytest.mark.parametrize("started", [False, True])
def test_a_bug_in_printing_stands_in_the_journal_and_stops_nobody(started: bool) -> None:
    journal, seen = FakeJournal(), list[Record]()

    def broken(record: Record) -> None:
        raise ZeroDivisionError

    publisher = Publisher(journal, subscribers=[broken, seen.append])
    if started:
        publisher.start()
    publisher.publish(line("a"))
    publisher.publish(line("b"))
    publisher.close()
    said = [record for record in journal.records if record not in (line("a"), line("b"))]
    assert len(said) == 1 and isinstance(said[0], LogLine) and (said[0].level, said[0].source) == ("error", "terminal")
    assert line("a") in seen and line("b") in seen


def test_a_subscriber_whose_terminal_is_gone_is_left_out() -> None:
    calls: list[Record] = []
    seen: list[Record] = []

    def gone(record: Record) -> None:
        calls.append(record)
        raise BrokenPipeError

    publisher = Publisher(FakeJournal(), subscribers=[gone, seen.append])
    publisher.publish(line("a"))
    publisher.publish(line("b"))
    assert len(calls) == 1
    assert len(seen) == 2


def test_a_held_terminal_holds_up_only_who_prints() -> None:
    journal = FakeJournal()
    held, release = threading.Event(), threading.Event()

    def terminal(record: Record) -> None:
        if record == line("printed"):
            held.set()
            release.wait(10.0)

    publisher = Publisher(journal, subscribers=[terminal])
    printing = threading.Thread(target=publisher.publish, args=(line("printed"),))
    printing.start()
    assert held.wait(10.0)
    publisher.publish(line("another thread's"))
    assert journal.records == [line("printed"), line("another thread's")]
    release.set()
    printing.join(10.0)


class Held:
    """A terminal that is held (Ctrl-S) until it is let go."""

    def __init__(self) -> None:
        self.go, self.printed = threading.Event(), list[Record]()

    def __call__(self, record: Record) -> None:
        self.go.wait(20)
        self.printed.append(record)


def test_once_started_nobody_waits_for_a_terminal_and_the_journal_goes_on(tmp_path: Path) -> None:
    held = Held()
    journal = JournalWriter(tmp_path / "journal.jsonl")
    publisher = Publisher(journal, subscribers=[held]).start()
    for number in range(50):
        publisher.log("info", "trainer", f"line {number}")
    publisher.drain()
    written = [
        record.message for record in JournalTail(tmp_path / "journal.jsonl").poll() if isinstance(record, LogLine)
    ]
    assert written == [f"line {number}" for number in range(50)]
    assert held.printed == []
    held.go.set()
    publisher.close()
    assert len(held.printed) == 50
    publisher.log("info", "trainer", "after the end, in the calling thread")
    assert len(held.printed) == 51


def test_once_silenced_nothing_is_written_or_printed_nor_what_waits() -> None:
    journal, held = FakeJournal(), Held()
    publisher = Publisher(journal, subscribers=[held]).start()
    publisher.publish(line("printed"))
    publisher.publish(line("waits"))
    publisher.drain()
    publisher.silence()
    publisher.publish(line("a worker died"))
    held.go.set()
    publisher.close()
    assert held.printed in ([], [line("printed")]), "at most what was being printed"
    assert journal.records == [line("printed"), line("waits")]


def test_what_a_held_terminal_has_missed_is_said_there_once_it_flows_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rltui.train.publisher.MOST_LINES", 20)
    held, journal = Held(), FakeJournal()
    publisher = Publisher(journal, subscribers=[held]).start()
    for number in range(50):
        publisher.log("info", "trainer", f"line {number}")
    publisher.drain()
    held.go.set()
    publisher.close()
    assert len(journal.records) == 50, "it missed nothing, and is told nothing"
    *lines, last = held.printed
    assert isinstance(last, LogLine) and (last.level, last.source) == ("warning", "terminal")
    assert last.message.startswith(f"{50 - len(lines)} lines were not written while the terminal stood still")
    assert len(lines) in (20, 21), "one of them was being printed, or none yet"
