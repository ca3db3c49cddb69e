"""Publisher: journal always, one report of a full disk, subscribers that may fail."""

from __future__ import annotations

import threading
from pathlib import Path

from rltui.events.commands import Live
from rltui.events.records import LogLine, Record
from rltui.runs.journal import JournalTail, JournalWriter
from rltui.train.publisher import Publisher
from tests.fakes.small_trainer import live


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


class FakeServer:
    def __init__(self) -> None:
        self.states: list[Live] = []

    def live(self, live: Live) -> None:
        self.states.append(live)


def line(text: str) -> LogLine:
    return LogLine(time=1.0, level="info", source="test", message=text)


def test_every_record_reaches_the_journal_and_each_subscriber_in_order() -> None:
    journal = FakeJournal()
    seen: list[Record] = []
    publisher = Publisher(journal, subscribers=[seen.append])
    for text in "abc":
        publisher.publish(line(text))
    assert journal.records == seen == [line("a"), line("b"), line("c")]


def test_log_makes_a_line_with_the_clock_s_time() -> None:
    journal = FakeJournal()
    Publisher(journal, clock=lambda: 7.0).log("warning", "worker", "slow", worker=3)
    assert journal.records == [LogLine(time=7.0, level="warning", source="worker", message="slow", worker=3)]


def test_live_goes_to_the_server_and_nowhere_without_one() -> None:
    server = FakeServer()
    publisher = Publisher(FakeJournal())
    publisher.live(live("collecting"))
    publisher.server = server
    state = live("learning")
    publisher.live(state)
    assert server.states == [state]


def test_a_full_disk_is_reported_once_and_its_end_too() -> None:
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


def test_a_second_full_disk_is_reported_again() -> None:
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


def test_a_subscriber_may_publish() -> None:
    journal = FakeJournal()
    publisher = Publisher(journal)

    def echo(record: Record) -> None:
        if record == line("a"):
            publisher.publish(line("echo"))

    publisher = Publisher(journal, subscribers=[echo])
    publisher.publish(line("a"))
    assert journal.records == [line("a"), line("echo")]


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
