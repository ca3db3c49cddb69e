"""What the log tells of one event: each line something new, at the level of who needs it."""

from __future__ import annotations

import pytest

from rltui.events.commands import CommandAccepted, CommandApplied
from rltui.events.records import (
    CheckpointSaved,
    CommandLogged,
    LogLine,
    Record,
    RunFinished,
    RunResumed,
    StateChanged,
    WorkerFailed,
    WorkerStarted,
    end_words,
)
from rltui.run_state.log_entries import LogEntry, entry_of
from tests.fakes.drawn_panes import NOW
from tests.fakes.state_evaluations import evaluated

WHY = "stopped: stop (finish) by ada"
SAVED = CheckpointSaved(
    time=3, kind="checkpoint", path="/d/9216", label="9216", timesteps=9216, bytes=1_040_000, held_seconds=0.001, seconds=0.075
)  # fmt: skip
STOP: list[Record] = [  # in the order in which a trainer tells it
    CommandLogged(time=1, command="stop finish", by="ada on lab", outcome=CommandAccepted(id=4)),
    LogLine(time=1, level="info", source="trainer", message=f"{WHY[9:]}: the iteration is finished and saved, then training stops"),
    StateChanged(time=2, state="stopping", reason=WHY),
    SAVED,
    CommandLogged(time=3, command="stop finish", by="ada on lab", outcome=CommandApplied(id=4, detail="stopped at 9,216 timesteps", seconds=2.0)),
    StateChanged(time=3, state="stopped", reason=WHY),
    RunFinished(time=3, timesteps=9216, exit_code=0, reason=WHY),
]  # fmt: skip


def entries(records: list[Record]) -> list[LogEntry]:
    return [entry for entry in map(entry_of, records) if entry is not None]


def test_a_stop_is_what_will_happen_and_what_has() -> None:
    told = entries(STOP)
    assert [entry.message for entry in told if entry.level == "info"] == [
        "stop (finish) by ada: the iteration is finished and saved, then training stops",
        "stopped at 9,216 timesteps: stop (finish) by ada",
    ]
    assert len(told) == len(STOP), "the rest is there for who looks at debug"


def test_a_saved_state_has_its_name_size_and_time() -> None:
    [checkpoint, milestone] = entries([SAVED, CheckpointSaved(
        time=3, kind="milestone", path="/d/005M", label="005M", timesteps=5_000_100, bytes=463_000, held_seconds=0, seconds=1.2,
    )])  # fmt: skip
    assert (checkpoint.level, checkpoint.message) == ("debug", "checkpoint 9,216 saved: 1.0 MB in 75 ms")
    assert (milestone.level, milestone.message) == ("info", "milestone 5 M saved: 463 kB in 1.2 s")


def test_a_resume_is_one_sentence() -> None:
    why = "run 'one' goes on at 9,216 timesteps (checkpoint 9216, saved 11 s ago): the newest run that fits"
    [entry] = entries([RunResumed(time=1, timesteps=9216, checkpoint="/d/9216", reason=why)])
    assert (entry.level, entry.message) == ("info", why)


def test_workers_are_news_when_they_come_again() -> None:
    first, again = entries(
        [WorkerStarted(time=1, worker=0, pid=7, restarts=restarts, seconds=2.46) for restarts in (0, 1)]
    )
    assert (first.level, first.message) == ("debug", "started, pid 7, ready in 2.5 s")
    assert (again.level, again.message) == ("info", "restarted (restart 1), pid 7, ready in 2.5 s")


def test_how_a_run_ended(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("finished: the step limit is reached", "finished at 9,216 timesteps: the step limit is reached"),
        ("failed: nothing was learned: x", "failed at 9,216 timesteps: nothing was learned: x"),
        ("ValueError: bad", "ended at 9,216 timesteps: ValueError: bad"),
        ("abandoned without saving", "ended at 9,216 timesteps: abandoned without saving"),
    ]
    for reason, words in cases:
        with subtests.test(reason=reason, words=words):
            assert end_words(RunFinished(time=0, timesteps=9216, exit_code=1, reason=reason)) == words


def test_a_state_is_not_said_twice() -> None:
    record = StateChanged(time=1.0, state="stopped", reason="stopped: stop (finish) by ada")
    entry = entry_of(record)
    assert entry is not None
    assert entry.message == "stopped: stop (finish) by ada"


def test_a_workers_trace_is_in_the_log() -> None:
    failed = WorkerFailed(
        time=NOW, worker=1, kind="raised", reason="ValueError: bad", trace="Traceback:\n  File x\nValueError: bad"
    )
    entry = entry_of(failed)
    assert entry is not None
    assert entry.message == "raised: ValueError: bad\nTraceback:\n  File x\nValueError: bad"
    assert entry.level == "error"


def test_an_evaluation_is_news() -> None:
    (told,) = entries([evaluated(5_000_000)])
    assert (told.level, told.source) == ("info", "evaluation")
    assert told.message.startswith(
        "5.00 M: Elo 1,212 ± 67, scores 12 % of 40 games against rule, 60 % of 40 games against chaser, "
    )
