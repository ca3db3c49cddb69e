"""The fold: what records and live frames make of a snapshot, and the marks of edited profiles, against arithmetic by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Welcome
from rltui.events.records import (
    ENTROPY_SETTING,
    RATE_SETTING,
    CheckpointSaved,
    IterationFinished,
    LogLine,
    Record,
    RunResumed,
    RunStarted,
    SettingChanged,
    StateChanged,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
    decode,
    encode,
)
from rltui.run_state.fold import fold, fold_control, with_command
from rltui.run_state.snapshot import LOG_LINES, ChartMark, CommandStatus, RunSnapshot
from rltui.run_state.symptoms import broken_at
from rltui.run_state.verdict import verdict, with_findings
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain
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
    assert worker.event == "died: killed by signal 9; restarted in 0.9 s"
    assert worker.event_time == T + 6


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


PPO: Mapping[str, bool | float | str] = {
    "learning_rate": 2e-4, "critic_learning_rate": 2e-4, "schedule": "constant", "schedule_steps": 10_000_000,
    "gamma": 0.99, "ent_coef": 0.01, "epochs": 2, "iteration": 50_000, "batch": 50_000, "minibatch": 50_000,
    "normalize_advantages": True,
}  # fmt: skip
ROWS = 200
LAST = ROWS * run_story.STEPS


def start(timesteps: int = 0, told: bool = True, **changes: Any) -> RunStarted:
    """As the trainer tells it: the rate and the coefficient in force stand in the header too."""
    ppo = {**PPO, **changes}
    return msgspec.structs.replace(
        run_story.header(), timesteps=timesteps, time=run_story.now_of(ROWS), ppo=ppo if told else {},
        learning_rate=ppo["learning_rate"], ent_coef=ppo["ent_coef"],
    )  # fmt: skip


def rows(first: int, last: int, entropy: float = 3.0) -> list[IterationFinished]:
    known = [run_story.iteration(row) for row in range(first, last + 1)]
    return [msgspec.structs.replace(row, metrics={**row.metrics, "train/entropy": entropy}) for row in known]


def marked(*records: Record) -> list[ChartMark]:
    return [mark for mark in fold(RunSnapshot(), records).marks if mark.kind == "changed"]


def resumed(timesteps: int = LAST) -> RunResumed:
    return RunResumed(time=run_story.now_of(ROWS), timesteps=timesteps, checkpoint="c", reason="newest")


def test_what_was_edited_is_marked_where_the_run_goes_on(subtests: pytest.Subtests) -> None:
    for changes, told in (
        ({"learning_rate": 3e-4, "critic_learning_rate": 3e-4}, [("learning rate 0.0003", RATE_SETTING)]),
        ({"critic_learning_rate": 3e-4}, [("ppo.critic_learning_rate 0.0003", "ppo.critic_learning_rate")]),
        ({"ent_coef": 0.5}, [("entropy coefficient 0.5", ENTROPY_SETTING)]),
        ({"epochs": 3}, [("ppo.epochs 3", "ppo.epochs")]),
        ({"iteration": 1e7, "batch": 1e7, "minibatch": 1e7}, [("ppo.iteration 10,000,000", "ppo.iteration")]),
        ({"schedule": "cosine"}, [("ppo.schedule cosine", "ppo.schedule")]),
        ({"normalize_advantages": False}, [("ppo.normalize_advantages false", "ppo.normalize_advantages")]),
        ({"gamma": 0.995, "epochs": 1}, [("ppo.gamma 0.995", "ppo.gamma"), ("ppo.epochs 1", "ppo.epochs")]),
        ({"minibatch": 10_000}, []),
        ({}, []),
    ):
        with subtests.test(changes=changes, told=told):
            found = marked(start(), *rows(1, ROWS), start(LAST, **changes), resumed())
            assert found == [ChartMark(LAST, "changed", words, setting) for words, setting in told]


def test_what_a_journal_does_not_tell_is_not_marked() -> None:
    old, new = start(told=False), start(LAST, learning_rate=1e-2)
    assert marked(old, *rows(1, ROWS), new, resumed()) == []
    assert marked(start(), *rows(1, ROWS), msgspec.structs.replace(new, ppo={}), resumed()) == []
    assert marked(start(), *rows(1, ROWS), msgspec.structs.replace(new, ppo={**new.ppo, "new": 1}), resumed()) == [
        ChartMark(LAST, "changed", "learning rate 0.01", RATE_SETTING)
    ]


def test_another_phase_s_settings_are_its_own() -> None:
    """Told with the phase; a start in it is compared with it, one that goes back to before it with nothing."""
    phase = run_story.phase_changed(run_story.now_of(100), 100 * run_story.STEPS)
    phase = msgspec.structs.replace(phase, task=msgspec.structs.replace(phase.task, ppo={**PPO, "gamma": 0.995}))
    told: list[Record] = [start(), *rows(1, 100), phase, *rows(101, ROWS)]
    assert marked(*told, start(LAST, gamma=0.995), resumed()) == []
    assert marked(*told, start(LAST), resumed()) == [ChartMark(LAST, "changed", "ppo.gamma 0.99", "ppo.gamma")]
    late = msgspec.structs.replace(phase, timesteps=LAST)
    assert marked(start(), *rows(1, ROWS), late, start(LAST), resumed()) == [
        ChartMark(LAST, "changed", "ppo.gamma 0.99", "ppo.gamma")
    ], "also one that began where the run goes on"
    back = 50 * run_story.STEPS
    assert marked(*told, start(back), resumed(back)) == []


def test_a_start_that_goes_back_before_an_edited_one_is_marked_against_what_trained_it() -> None:
    """The edited profile is still in force: its mark moves to where training goes on."""
    back = 100 * run_story.STEPS
    told: list[Record] = [start(), *rows(1, ROWS), start(LAST, gamma=0.995), resumed(), *rows(ROWS + 1, 240)]
    moved = marked(*told, start(back, gamma=0.995), resumed(back))
    assert moved == [ChartMark(back, "changed", "ppo.gamma 0.995", "ppo.gamma")]
    assert marked(*told, start(back), resumed(back)) == []  # the old profile again: no change there
    again = [*told, start(back, gamma=0.995), resumed(back), *rows(101, 150), start(back, gamma=0.9), resumed(back)]
    assert [mark.label for mark in marked(*again)] == ["ppo.gamma 0.9"]  # nothing is left of what 0.995 trained


def test_a_start_that_goes_back_to_where_an_edited_one_began_is_not_marked_with_what_is_taken_back() -> None:
    edited, plain = start(LAST, gamma=0.995), start(LAST)
    told: list[Record] = [start(), *rows(1, ROWS), edited, resumed(), *rows(ROWS + 1, 240)]
    assert marked(*told, plain, resumed()) == []
    assert marked(*told, plain, resumed(), edited, resumed()) == marked(*told) != []
    crashed: list[Record] = [edited, resumed(), *rows(ROWS + 1, 240)]
    assert marked(*told, *crashed, *crashed) == marked(*told)
    assert marked(start(), start(gamma=0.995), *rows(1, ROWS)) == []  # nothing had been trained yet


def test_a_phase_that_began_where_starts_go_on_is_no_edit_however_often_they_do() -> None:
    phase = run_story.phase_changed(run_story.now_of(ROWS), LAST)
    phase = msgspec.structs.replace(phase, task=msgspec.structs.replace(phase.task, ppo={**PPO, "gamma": 0.9}))
    there = start(LAST, gamma=0.9)
    told: list[Record] = [start(), *rows(1, ROWS), phase, there, resumed(), *rows(ROWS + 1, 240)]
    assert marked(*told) == marked(*told, there, resumed(), there, resumed()) == []


def test_a_phase_that_was_taken_back_is_compared_with_nothing_of_its_own() -> None:
    phase = run_story.phase_changed(run_story.now_of(100), 100 * run_story.STEPS)
    phase = msgspec.structs.replace(phase, task=msgspec.structs.replace(phase.task, ppo={**PPO, "gamma": 0.9}))
    back = 50 * run_story.STEPS
    told: list[Record] = [start(), *rows(1, 100), phase, *rows(101, ROWS), start(back, gamma=0.995), resumed(back)]
    assert marked(*told) == [ChartMark(back, "changed", "ppo.gamma 0.995", "ppo.gamma")]


def test_an_illness_that_began_with_it_is_told_with_it() -> None:
    told: list[Record] = [
        start(),
        *rows(1, ROWS),
        start(LAST, learning_rate=1e-2),
        resumed(),
        *rows(ROWS + 1, 260, 0.0),
    ]
    snapshot = with_findings(fold(RunSnapshot(run="alpha", alive=True), told))
    words = verdict(snapshot, run_story.now_of(260), heard=True).words
    assert words.startswith("since learning rate 0.01 at 4.10 M ")
    assert "by the profile: set it back there; entropy 0" in words


def ill_after(*starts: RunStarted, rows_of_each: int = 30) -> str:
    """The verdict of a run whose entropy is gone from the first of these starts on, each of which trains so many iterations."""
    told: list[Record] = [start(), *rows(1, ROWS)]
    done = ROWS
    for one in starts:
        timesteps = done * run_story.STEPS
        told += [msgspec.structs.replace(one, timesteps=timesteps), resumed(timesteps)]
        told += rows(done + 1, done + rows_of_each, 0.0)
        done += rows_of_each
    return verdict(
        with_findings(fold(RunSnapshot(run="alpha", alive=True), told)), run_story.now_of(done), heard=True
    ).words


def test_one_edit_is_told_whole() -> None:
    two = ill_after(start(learning_rate=1e-2, gamma=0.9))
    assert "since learning rate 0.01 and ppo.gamma 0.9 at 4.10 M timesteps, by the profile: set them back there" in two
    four = ill_after(start(learning_rate=1e-2, gamma=0.9, epochs=9, ent_coef=0.0))
    assert "since learning rate 0.01, ppo.gamma 0.9 and 2 more at 4.10 M timesteps" in four


def test_what_was_set_back_meanwhile_needs_not_be_set_back() -> None:
    again = ill_after(start(gamma=0.9), start(gamma=0.99))
    assert "since ppo.gamma 0.9 at 4.10 M timesteps, which holds no more: go on from a milestone of before it" in again
    half = ill_after(start(gamma=0.9, epochs=9), start(gamma=0.99, epochs=9))
    assert "since ppo.epochs 9 at 4.10 M timesteps, by the profile: set it back there" in half


def test_it_is_no_change_of_what_is_paid() -> None:
    told: list[Record] = [start(), *rows(1, ROWS), start(LAST, learning_rate=1e-3), resumed()]
    assert with_findings(fold(RunSnapshot(), told)).found.first == 0


def test_the_section_survives_the_journal() -> None:
    record = start()
    assert decode(encode(record)) == record


WEIGHTS_ROWS = 4
WEIGHTS_LAST = run_story.iteration(WEIGHTS_ROWS).timesteps


def trained(weights: Mapping[str, float], **in_rows: float) -> list[Record]:
    """A run with these weights; in_rows: those that stand in its rows, for they are not as the profile has them."""
    rows = [run_story.iteration(number) for number in range(1, WEIGHTS_ROWS + 1)]
    told = {f"weight/{name}": weight for name, weight in in_rows.items()}
    header = msgspec.structs.replace(run_story.header(), reward_weights=dict(weights))
    return [header, *(msgspec.structs.replace(row, metrics=row.metrics | told) for row in rows)]


def again(
    weights: Mapping[str, float], timesteps: int = WEIGHTS_LAST, by_hand: Mapping[str, float] | None = None
) -> list[Record]:
    header = msgspec.structs.replace(
        run_story.header(), timesteps=timesteps, reward_weights=dict(weights), by_hand=dict(by_hand or {})
    )
    return [header, RunResumed(time=header.time, timesteps=timesteps, checkpoint="c", reason="newest")]


def by_hand(weight: float) -> SettingChanged:
    return SettingChanged(time=run_story.START, timesteps=1, setting="reward touch", value=weight, by="ada")


def weights_marked(*records: Record) -> list[ChartMark]:
    """Changes that a start has marked."""
    marks = fold(RunSnapshot(), records).marks
    return [mark for mark in marks if mark.kind == "changed" and mark.timesteps > 1]


def test_edited_weights_are_marked_where_they_begin() -> None:
    records = [*trained({"touch": 1.0, "goal": 10.0}), *again({"touch": 5.0, "goal": 10.0})]

    assert weights_marked(*records) == [ChartMark(WEIGHTS_LAST, "changed", "reward touch 5", "reward touch")]
    assert broken_at(fold(RunSnapshot(), records).marks) == WEIGHTS_LAST


def test_going_back_marks_where_it_goes_on() -> None:
    back = run_story.iteration(2).timesteps

    assert weights_marked(*trained({"touch": 1.0}), *again({"touch": 5.0}, back)) == [
        ChartMark(back, "changed", "reward touch 5", "reward touch")
    ]


def test_what_is_no_edit_is_not_marked(subtests: pytest.Subtests) -> None:
    for records in (
        [*trained({"touch": 1.0}), *again({"touch": 1.0})],
        [*trained({}), *again({"touch": 5.0})],
        [*trained({"touch": 1.0}), *again({"other": 5.0})],
        [*trained({"touch": 1.0}, touch=0.52), *again({"touch": 0.5})],
        [
            *trained({"touch": 1.0}, touch=2.0)[:1],
            by_hand(2.0),
            *trained({"touch": 1.0}, touch=2.0)[1:],
            *again({"touch": 1.0}, by_hand={"reward touch": 2.0}),
        ],
        [msgspec.structs.replace(run_story.header(), reward_weights={"touch": 1.0}), *again({"touch": 1.0}, 0)],
    ):
        with subtests.test(records=records):
            assert weights_marked(*records) == []


def test_a_weight_by_hand_that_a_start_forgets_is_marked() -> None:
    first, *rows = trained({"touch": 1.0}, touch=2.0)

    assert weights_marked(first, by_hand(2.0), *rows, *again({"touch": 1.0})) == [
        ChartMark(WEIGHTS_LAST, "changed", "reward touch 1", "reward touch")
    ]


def test_the_verdict_begins_there_from_the_start_on_and_stays_so() -> None:
    """Before the journal's first row of the new start, and with every one after it, judged each time."""
    rows = 105  # within a block of ten
    last = run_story.iteration(rows).timesteps
    rewards = [30.0 if number < 60 else 5.0 for number in range(1, rows + 1)] + [44.0] * 59
    told = [run_story.iteration(number) for number in range(1, len(rewards) + 1)]
    told = [
        msgspec.structs.replace(row, metrics={**row.metrics, "rollout/policy_reward": reward})
        for row, reward in zip(told, rewards, strict=True)
    ]
    first = msgspec.structs.replace(run_story.header(), reward_weights={"touch": 1.0})
    snapshot, pane = with_findings(fold(RunSnapshot(alive=True), [first, *told[:rows]])), StatusPane()

    def line() -> str:
        return plain(pane.draw(View(snapshot, run_story.now_of(snapshot.history.length)), 160, 3)[2:])

    assert "falling" in line()
    snapshot = with_findings(fold(snapshot, again({"touch": 5.0}, last)))
    assert "it takes 60 iterations since the rewards changed, 0 are done" in line()
    for done, row in enumerate(told[rows:], start=1):
        snapshot = with_findings(fold(snapshot, [row]))
        assert f"since the rewards changed, {done} are done" in line()
