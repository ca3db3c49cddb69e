"""What is told and what is not: news while attached, never history; a silent end once."""

from __future__ import annotations

from dataclasses import replace

from rltui.events.records import Record, WorkerFailed, WorkerStarted
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import Link, RunSnapshot
from rltui.tui.notifications import EventDetector, Notice
from tests.fakes import run_story
from tests.fakes.run_story import now_of

NOW = now_of()


def running() -> RunSnapshot:
    return replace(fold(RunSnapshot(), run_story.told()), alive=True)


def heard(herald: EventDetector, before: RunSnapshot, *records: Record) -> list[Notice]:
    return herald.hear(before, fold(before, records))


def test_history_is_never_told() -> None:
    records = [
        *run_story.told(),
        run_story.phase_changed(NOW - 1, 12_000_000),
        run_story.finished(12_431_360, NOW - 0.1),
    ]
    herald = EventDetector(NOW)
    snapshot = RunSnapshot()
    for start in range(0, len(records), 100):  # a long journal comes in pieces
        after = fold(snapshot, records[start : start + 100])
        assert herald.hear(snapshot, after) == []
        snapshot = after
    assert snapshot.milestone is not None
    assert snapshot.finished is not None


def test_the_end_a_failure_a_milestone_and_a_promotion_are_told_once() -> None:
    herald, before = EventDetector(NOW), running()
    [milestone] = heard(herald, before, run_story.saved(15_000_000, NOW + 1, milestone=True))
    assert (milestone.kind, milestone.title) == ("milestone", "alpha: milestone 15 M")
    assert "15,000,000 timesteps" in milestone.text
    [promotion] = heard(herald, before, run_story.phase_changed(NOW + 2, 12_440_000))
    assert (promotion.kind, promotion.title) == ("promotion", "alpha: phase phase-2-bronze-skills")
    assert "skill reached" in promotion.text
    ended = fold(before, [run_story.finished(12_450_000, NOW + 3)])
    [end] = herald.hear(before, ended)
    assert (end.kind, end.severity) == ("ended", "information")
    assert end.text == "ended at 12,450,000 timesteps: step limit reached"
    assert herald.hear(ended, ended) == []
    [failed] = heard(herald, before, run_story.finished(12_450_000, NOW + 3, 1, "3 workers died within a minute"))
    assert (failed.kind, failed.severity, failed.text) == ("failed", "error", "3 workers died within a minute")


def test_a_worker_that_fails_is_told_also_when_it_is_back_already() -> None:
    herald, before = EventDetector(NOW), running()
    died = WorkerFailed(time=NOW + 1, worker=0, kind="died", reason="killed by signal 9", trace="")
    [notice] = heard(herald, before, died)
    assert (notice.kind, notice.title) == ("worker_failed", "alpha: worker 0 failed")
    back = WorkerStarted(time=NOW + 2, worker=0, pid=9, restarts=1, seconds=0.9)
    [notice] = heard(herald, before, died, back)
    assert "killed by signal 9; restarted" in notice.text
    assert heard(herald, fold(before, [died]), back)[0].text.endswith("restarted in 0.9 s")


def test_a_process_that_goes_without_a_word_is_told_once_and_not_at_once() -> None:
    herald, before = EventDetector(NOW), running()
    gone = replace(before, alive=False)
    herald.hear(before, gone)
    assert herald.tick(gone, NOW + 1) == []  # its last record may still be on its way
    assert herald.tick(gone, NOW + 2) == []
    [notice] = herald.tick(gone, NOW + 3.1)
    assert (notice.kind, notice.severity) == ("failed", "error")
    assert notice.title == "alpha ended uncleanly"
    assert herald.tick(gone, NOW + 4) == []


def test_an_end_that_was_said_or_that_nobody_saw_begin_is_not_unclean() -> None:
    herald, before = EventDetector(NOW), running()
    ended = replace(fold(before, [run_story.finished(12_450_000, NOW + 1)]), alive=False)
    herald.hear(before, ended)
    assert [herald.tick(ended, NOW + second) for second in (1, 4, 9)] == [[], [], []]
    later = EventDetector(NOW)
    gone = replace(before, alive=False)
    later.hear(RunSnapshot(), gone)
    assert [later.tick(gone, NOW + second) for second in (1, 4, 9)] == [[], [], []]


def test_control_that_comes_or_goes_is_told_with_the_name() -> None:
    herald, before = EventDetector(NOW), running()
    mine = replace(before, link=Link(connected=True, mine=True, controller="ada on tower, pid 5"))
    theirs = replace(before, link=Link(connected=True, mine=False, controller="bob on lab, pid 7"))
    [lost] = herald.hear(mine, theirs)
    assert (lost.kind, lost.title) == ("control", "bob on lab controls alpha")
    assert "O takes control back" in lost.text
    [got] = herald.hear(theirs, mine)
    assert got.title == "You control alpha"
    assert herald.hear(replace(mine, link=Link()), mine) == []  # a new connection is no news
