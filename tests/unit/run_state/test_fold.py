"""The fold: what records and live frames make of a snapshot, and the marks of edited profiles, against arithmetic by hand."""

from __future__ import annotations

import math

import msgspec
import pytest

from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Welcome
from rltui.events.records import (
    CheckpointSaved,
    IterationFinished,
    LogLine,
    Record,
    RunResumed,
    StateChanged,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
)
from rltui.run_state.fold import fold, fold_control, with_command
from rltui.run_state.snapshot import LOG_LINES, CommandStatus, RunSnapshot
from tests.fakes import run_story

T = run_story.START


def row(iteration: int, timesteps: int, **metrics: float | None) -> IterationFinished:
    named = {key.replace("__", "/"): value for key, value in metrics.items()}
    return IterationFinished(time=T + iteration, iteration=iteration, timesteps=timesteps, metrics=named)


def test_rows_become_columns_with_gaps_for_the_unknown() -> None:
    snapshot = fold(RunSnapshot(), [row(1, 100, a=1.0), row(2, 200, a=None, b=5.0), row(3, 300, b=6.0)])
    xs, ys = snapshot.history.series("a")
    assert list(xs) == [100, 200, 300]
    assert ys[0] == 1.0
    assert math.isnan(ys[1])
    assert math.isnan(ys[2])
    assert [value for value in snapshot.history.series("b")[1] if value == value] == [5.0, 6.0]
    assert snapshot.timesteps == 300
    assert snapshot.iteration == 3
    assert snapshot.metrics == {"b": 6.0}
    assert snapshot.metrics_time == T + 3


def test_resumed_drops_the_rows_that_did_not_happen() -> None:
    before = [row(1, 100, a=1.0), row(2, 200, a=2.0), row(3, 300, a=3.0)]
    milestone = run_story.saved(250, T, milestone=True)
    resumed = RunResumed(time=T + 9, timesteps=200, checkpoint="200", reason="newest")
    snapshot = fold(RunSnapshot(), [*before, milestone, resumed, row(3, 290, a=30.0)])
    assert list(snapshot.history.series("a")[0]) == [100, 200, 290]
    assert list(snapshot.history.series("a")[1]) == [1.0, 2.0, 30.0]
    assert [(mark.kind, mark.timesteps) for mark in snapshot.marks] == [("resume", 200)]
    assert snapshot.saved_timesteps == 200


def test_a_new_phase_changes_the_header_and_is_marked_and_told() -> None:
    change = run_story.phase_changed(T + 5, 300)
    for snapshot in (
        fold(RunSnapshot(), [run_story.header(), row(1, 300), change]),
        fold(fold(RunSnapshot(), [run_story.header(), row(1, 300)]), [change]),
    ):
        header = snapshot.header
        assert header is not None
        assert (header.phase, header.label, header.stage, header.blue, header.iteration) == (
            2,
            "BronzeSkills1",
            "2v2",
            2,
            30_000,
        )
        assert (header.run, header.pid, header.reward_names) == ("alpha", 4242, ["goal"])
        assert [(mark.kind, mark.timesteps) for mark in snapshot.marks] == [("task", 300)]
        assert snapshot.log[-1].message.startswith(
            "phase phase-2-bronze-skills after phase-1-ball-touching: skill reached"
        )


def test_a_resume_at_the_very_start_leaves_no_mark() -> None:
    resumed = RunResumed(time=T, timesteps=0, checkpoint="0", reason="newest")
    assert fold(RunSnapshot(), [run_story.header(), resumed]).marks == ()


def test_folding_twice_from_the_same_snapshot_gives_the_same() -> None:
    base = fold(RunSnapshot(), [row(1, 100, a=1.0)])
    left = fold(base, [row(2, 200, a=2.0)])
    right = fold(base, [row(2, 250, a=9.0), row(3, 300, b=1.0)])
    assert list(base.history.series("a")[1]) == [1.0]
    assert list(left.history.series("a")[1]) == [1.0, 2.0]
    assert list(right.history.series("a")[0]) == [100, 250, 300]
    assert list(left.history.series("a")[0]) == [100, 200]
    assert list(left.history.series("b")[1]) == []


def test_the_header_starts_a_session_anew() -> None:
    ended = fold(RunSnapshot(), [run_story.header(), run_story.finished(500, T + 5)])
    assert ended.finished is not None
    again = fold(ended, [run_story.header(timesteps=500, time=T + 60)])
    assert again.finished is None
    assert again.state == "starting"
    assert again.timesteps == 500
    assert [worker.state for worker in again.workers] == ["starting", "starting"]


def test_workers_started_failed_and_restarted() -> None:
    snapshot = fold(RunSnapshot(), run_story.opening())
    assert [(worker.worker, worker.pid, worker.state) for worker in snapshot.workers] == [
        (0, 4300, "ready"),
        (1, 4301, "ready"),
    ]
    failed = WorkerFailed(time=T + 5, worker=1, kind="died", reason="killed by signal 9", trace="")
    snapshot = fold(snapshot, [failed])
    worker = snapshot.workers[1]
    assert (worker.state, worker.pid, worker.failed, worker.event) == ("failed", None, True, "died: killed by signal 9")
    snapshot = fold(snapshot, [WorkerStarted(time=T + 6, worker=1, pid=9, restarts=1, seconds=0.9)])
    worker = snapshot.workers[1]
    assert (worker.state, worker.pid, worker.failed, worker.restarts) == ("ready", 9, False, 1)
    assert (worker.event, worker.event_time) == ("restarted", T + 6), "the newest event, and its own time"
    assert "killed by signal 9" in worker.failures[0].message


def test_live_frames_win_over_older_records_only() -> None:
    snapshot = fold(RunSnapshot(), [*run_story.opening(), row(1, 100)])
    late = run_story.live(T + 0.5, state="learning", timesteps=50)
    assert fold_control(snapshot, late, T).state == "collecting"
    assert fold_control(snapshot, late, T).timesteps == 100
    newer = fold_control(snapshot, run_story.live(T + 3, state="learning", timesteps=150, progress=0.4), T)
    assert (newer.state, newer.timesteps, newer.progress, newer.state_since) == ("learning", 150, 0.4, T + 3)
    assert newer.workers[0].steps_per_second == 20_714
    assert newer.link.clients == ("ada on tower, pid 5151",)
    same = fold_control(newer, run_story.live(T + 4, state="learning"), T)
    assert same.state_since == T + 3


def test_live_frames_go_on_winning_where_the_clock_is_set_back() -> None:
    snapshot = fold(RunSnapshot(), [*run_story.opening(), row(1, 100)])
    after = fold_control(snapshot, run_story.live(T - 3600, state="learning", timesteps=150), T - 3600)
    assert (after.state, after.timesteps, after.news_time) == ("learning", 150, T - 3600)


def test_elapsed_is_what_the_trainer_counts_in_all_sessions() -> None:
    """Each record and live frame has its own count: what the clock says between them does not matter."""
    first = [
        msgspec.structs.replace(run_story.header(), elapsed=0.0),
        msgspec.structs.replace(row(1, 100), elapsed=50.0),
    ]
    second = [
        msgspec.structs.replace(run_story.header(timesteps=100, time=T - 3600), elapsed=50.0),
        msgspec.structs.replace(row(2, 200), elapsed=80.0, time=T - 3570),
    ]
    snapshot = fold(fold(RunSnapshot(), first), second)
    assert (snapshot.elapsed, snapshot.elapsed_time) == (80.0, T - 3570)
    live = msgspec.structs.replace(run_story.live(T + 86_400), elapsed=81.0)
    assert fold_control(snapshot, live, T + 86_400).elapsed == 81.0
    end = msgspec.structs.replace(run_story.finished(300, T), elapsed=95.5)
    ended = fold(snapshot, [end])
    assert fold_control(ended, live, T).elapsed == 95.5


def test_a_live_frame_after_the_end_changes_nothing_but_its_time() -> None:
    ended = fold(
        RunSnapshot(),
        [run_story.header(), StateChanged(time=T, state="stopped", reason="done"), run_story.finished(9, T)],
    )
    after = fold_control(ended, run_story.live(T + 1), T)
    assert (after.state, after.timesteps) == ("stopped", 9)


def test_saved_states_and_marks() -> None:
    records: list[Record] = [
        run_story.header(),
        run_story.saved(250, T + 1),
        run_story.saved(5_000_000, T + 2, milestone=True),
    ]
    records.append(UpdateDropped(time=T + 3, iteration=1, timesteps=77, source="reward touch of worker 1", in_a_row=1))
    snapshot = fold(RunSnapshot(), records)
    assert isinstance(snapshot.checkpoint, CheckpointSaved)
    assert snapshot.checkpoint.timesteps == 250
    assert snapshot.milestone is not None
    assert snapshot.milestone.label == "005M"
    assert snapshot.saved_timesteps == 5_000_000
    assert [(mark.kind, mark.timesteps) for mark in snapshot.marks] == [("milestone", 5_000_000), ("dropped", 77)]


def test_the_log_keeps_its_newest_lines() -> None:
    lines = [
        LogLine(time=T + index, level="info", source="trainer", message=str(index)) for index in range(LOG_LINES + 7)
    ]
    snapshot = fold(RunSnapshot(), lines)
    assert len(snapshot.log) == LOG_LINES
    assert snapshot.log[0].message == "7"
    assert snapshot.log[-1].message == str(LOG_LINES + 6)


def test_a_command_goes_from_sent_to_applied_or_refused() -> None:
    snapshot = with_command(RunSnapshot(), CommandStatus(1, "pause", "sent", "", T))
    snapshot = with_command(snapshot, CommandStatus(2, "stop", "sent", "", T))
    snapshot = fold_control(snapshot, CommandAccepted(1), T + 1)
    assert [status.stage for status in snapshot.command_statuses] == ["accepted", "sent"]
    snapshot = fold_control(snapshot, CommandApplied(1, "paused", 0.2), T + 2)
    snapshot = fold_control(snapshot, CommandRefused(2, "bob controls"), T + 3)
    assert [(status.stage, status.text, status.time) for status in snapshot.command_statuses] == [
        ("applied", "paused", T + 2),
        ("refused", "bob controls", T + 3),
    ]


def test_welcome_says_who_controls() -> None:
    snapshot = fold_control(RunSnapshot(), Welcome("beta", 7, 1, "bob on tower"), T)
    assert (snapshot.run, snapshot.link.connected, snapshot.link.controller) == ("beta", True, "bob on tower")


def test_news_is_the_newest_of_record_and_frame() -> None:
    assert RunSnapshot().news_time is None
    snapshot = fold(RunSnapshot(), [row(5, 100)])
    assert snapshot.news_time == T + 5
    assert fold_control(snapshot, run_story.live(T + 8), T).news_time == T + 8


def test_the_story_is_folded_without_loss(subtests: pytest.Subtests) -> None:
    for last in (1, 40):
        with subtests.test(last=last):
            records = run_story.told(last)
            snapshot = fold(RunSnapshot(), records)
            rows = [record for record in records if isinstance(record, IterationFinished)]
            assert snapshot.history.length == len(rows) == last
            assert list(snapshot.history.series("reward/touch")[1]) == [
                record.metrics["reward/touch"] for record in rows
            ]
            assert msgspec.json.encode(snapshot.metrics) == msgspec.json.encode(rows[-1].metrics)
