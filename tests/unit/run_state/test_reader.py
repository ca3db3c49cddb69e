"""The reader thread with a fake run: what it publishes, and that its death is seen."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rltui.events.commands import Pause, Stop
from rltui.run_state.reader import RunReader
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.symptoms import usual_speed, worker_problem
from rltui.tui.background import Newest
from tests.fakes import run_story
from tests.fakes.fake_run import ME, FakeControl, FakeJournal, FakeRun
from tests.fakes.patience import patience


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the reader's next look."""
    for pause in ("LOOK", "LOOK_WHILE_WAITING", "CHECK"):
        monkeypatch.setattr(f"rltui.run_state.reader.{pause}", 0.01)


class Inbox:
    """The published snapshots; `until` waits for one that fits, and goes on from there: none that passes quickly is missed."""

    def __init__(self) -> None:
        self.all: list[RunSnapshot] = []
        self._at = 0  # the one that fitted last
        self._changed = threading.Condition()

    def __call__(self, snapshot: RunSnapshot) -> None:
        with self._changed:
            self.all.append(snapshot)
            self._changed.notify_all()

    def until(self, fits: Callable[[RunSnapshot], bool], seconds: float = 10.0) -> RunSnapshot:
        deadline = time.monotonic() + patience(seconds)
        with self._changed:
            while not any(map(fits, self.all[self._at :])):
                left = deadline - time.monotonic()
                assert left > 0, f"never came; last: {self.all[-1:]}"
                self._changed.wait(left)
            self._at = next(at for at in range(self._at, len(self.all)) if fits(self.all[at]))
            return self.all[self._at]


@contextmanager
def reading(run: FakeRun, *, readonly: bool = False) -> Iterator[tuple[RunReader, Inbox]]:
    inbox = Inbox()
    reader = RunReader(run, inbox, readonly=readonly, clock=lambda: run_story.START)
    reader.start()
    try:
        yield reader, inbox
    finally:
        reader.stop()
        reader.join(10)
        assert not reader.is_alive()


def test_the_first_snapshot_holds_the_whole_history() -> None:
    with reading(FakeRun(run_story.told(30))) as (_, inbox):
        first = inbox.until(lambda snapshot: snapshot.header is not None)
        assert first.history.length == 30
        assert first.run == "alpha"
        assert inbox.all[0].history.length == 30


def test_the_end_of_a_long_journal_is_shown_first_and_says_so() -> None:
    run = FakeRun(run_story.told(30))
    run.journal().newest = lambda: run_story.told(30)[-3:]  # type: ignore[method-assign]
    with reading(run) as (_, inbox):
        whole = inbox.until(lambda snapshot: snapshot.history.length == 30)
    first = inbox.all[0]
    assert first.history.length < 30 and first.log[-1].source == "journal"
    assert not [entry for entry in whole.log if entry.source == "journal"]


def test_nothing_is_published_while_nothing_happens() -> None:
    run = FakeRun(run_story.told(3))
    with reading(run) as (reader, inbox):
        inbox.until(lambda snapshot: snapshot.link.problem != "")
        seen = len(inbox.all)
        for _ in range(20):
            reader._look(run.records)
        assert len(inbox.all) == seen
        run.records.add(run_story.iteration(4))
        inbox.until(lambda snapshot: snapshot.history.length == 4)


def test_live_frames_and_control() -> None:
    control = FakeControl()
    with reading(FakeRun(run_story.opening(), control=control)) as (_, inbox):
        control.say(run_story.live(run_story.START + 9, state="learning"))
        snapshot = inbox.until(lambda snapshot: snapshot.state == "learning")
        assert (snapshot.link.connected, snapshot.link.mine, snapshot.link.controller) == (True, True, ME)


def test_a_command_is_sent_and_its_answers_come_back() -> None:
    control = FakeControl()
    with reading(FakeRun(run_story.opening(), control=control)) as (reader, inbox):
        inbox.until(lambda snapshot: snapshot.link.connected)
        reader.send(Pause())
        inbox.until(lambda snapshot: [status.stage for status in snapshot.command_statuses] == ["sent"])
        control.accept(1)
        inbox.until(lambda snapshot: snapshot.command_statuses[-1].stage == "accepted")
        control.apply(1, "paused")
        assert (
            inbox.until(lambda snapshot: snapshot.command_statuses[-1].stage == "applied").command_statuses[-1].text
            == "paused"
        )
        reader.send(Stop("now"))
        inbox.until(lambda snapshot: len(snapshot.command_statuses) == 2)
        control.refuse(2, "bob controls")
        assert (
            inbox.until(lambda snapshot: snapshot.command_statuses[-1].stage == "refused").command_statuses[-1].text
            == "bob controls"
        )
        assert control.sent == [Pause(), Stop("now")]


def test_a_wish_that_cannot_be_sent_says_why(subtests: pytest.Subtests) -> None:
    for readonly in (True, False):
        with subtests.test(readonly=readonly):
            control = FakeControl() if readonly else None
            with reading(FakeRun(run_story.opening(), control=control), readonly=readonly) as (reader, inbox):
                inbox.until(lambda snapshot: snapshot.link.connected or snapshot.link.problem != "")
                reader.send(Pause())
                status = inbox.until(lambda snapshot: bool(snapshot.command_statuses)).command_statuses[-1]
                assert status.stage == "unsent"
                assert status.text == ("this view is read-only" if readonly else "no trainer is connected")
                assert control is None or control.sent == []


def test_a_broken_connection_is_seen_and_made_again() -> None:
    control = FakeControl()
    with reading(FakeRun(run_story.opening(), control=control)) as (reader, inbox):
        inbox.until(lambda snapshot: snapshot.link.connected)
        reader.send(Pause())
        inbox.until(lambda snapshot: bool(snapshot.command_statuses))
        control.gone = True
        snapshot = inbox.until(lambda snapshot: not snapshot.link.connected)
        assert snapshot.link.problem == "the trainer closed the connection"
        assert (snapshot.command_statuses[-1].stage, snapshot.link.mine) == ("lost", False)
        assert re.fullmatch(r"the connection ended after [\d.]+ m?s", snapshot.command_statuses[-1].text)
        assert control.closed
        inbox.until(lambda snapshot: snapshot.link.connected)


def test_of_workers_that_nobody_is_connected_to_hear_nothing_is_known() -> None:
    """Their trainer goes on, and its journal tells no heartbeats: they are not ill."""
    control = FakeControl()
    with reading(FakeRun(run_story.opening(), control=control)) as (_, inbox):
        control.say(run_story.live(run_story.START + 9))
        heard = inbox.until(lambda snapshot: snapshot.live_time is not None)
        assert all(row.heartbeat_age is not None and row.steps_per_second for row in heard.workers)
        control.gone = True
        alone = inbox.until(lambda snapshot: not snapshot.link.connected)
        assert len(alone.workers) == len(heard.workers)
        assert all(row.heartbeat_age is row.steps_per_second is None and row.pid for row in alone.workers)
        assert not any(worker_problem(row, run_story.START + 300, usual_speed(alone.workers)) for row in alone.workers)


def test_a_trainer_that_died_before_its_first_record_leaves_its_last_words() -> None:
    run = FakeRun(process=False)
    run.output = "rltui: no meshes"
    with reading(run) as (_, inbox):
        assert inbox.until(lambda snapshot: snapshot.alive is False).output == "rltui: no meshes"


def test_a_deleted_folder_is_seen_and_is_no_dead_trainer() -> None:
    run = FakeRun(run_story.told(3))
    with reading(run) as (_, inbox):
        assert not inbox.until(lambda snapshot: snapshot.alive is True).gone
        run.deleted, run.process = True, False
        assert inbox.until(lambda snapshot: snapshot.gone).alive is None


def test_the_end_of_a_long_journal_is_shown_first_and_the_whole_takes_its_place() -> None:
    run = FakeRun(run_story.told(30))
    run.records.newest = lambda: [run_story.header(), *run_story.iterations(28, 30)]  # type: ignore[method-assign]
    with reading(run) as (_, inbox):
        whole = inbox.until(lambda snapshot: snapshot.history.length == 30)
        assert (inbox.all[0].history.length, inbox.all[0].timesteps) == (3, whole.timesteps)
        assert inbox.all[0].alive is True


def test_the_death_of_the_reader_is_published() -> None:
    run = FakeRun(run_story.opening())
    with reading(run) as (_, inbox):
        inbox.until(lambda snapshot: snapshot.header is not None)
        run.records.failure = OSError("the disk is gone")
        snapshot = inbox.until(lambda snapshot: snapshot.reader_problem != "")
        assert snapshot.reader_problem == "OSError: the disk is gone"
        assert snapshot.header is not None


def test_a_journal_that_cannot_even_be_opened_is_seen() -> None:
    class Broken(FakeRun):
        def journal(self) -> FakeJournal:
            raise PermissionError("no")

    with reading(Broken()) as (_, inbox):
        inbox.until(lambda snapshot: snapshot.reader_problem == "PermissionError: no")


def test_the_slot_keeps_the_newest_only_and_says_when_to_look() -> None:
    slot: Newest[int] = Newest()
    assert [slot.put(1), slot.put(2), slot.put(3)] == [True, False, False]
    assert slot.take() == 3
    assert slot.take() is None
    assert slot.put(4) is True


def test_lines_of_the_journal_that_are_no_records_are_told_in_the_log() -> None:
    run = FakeRun(run_story.told(3))
    run.records.bad_lines = 2
    with reading(run) as (_, inbox):
        first = inbox.until(lambda snapshot: snapshot.bad_lines == 2)
        assert (first.log[-1].level, first.log[-1].source) == ("warning", "journal")
        assert "2 lines" in first.log[-1].message
        assert len(first.log) == first.log_total
