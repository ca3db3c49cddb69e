"""The state in one word, and which changes by hand are in force."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.events.commands import FLAGS
from rltui.events.records import Record, RunResumed, SettingChanged, StateChanged, change_words
from rltui.run_state import progress
from rltui.run_state.condition import SHORT, condition, in_force
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.run_info import by_hand, facts_of
from rltui.tui.panes.status import progress_line
from rltui.tui.text import plain
from tests.fakes import figure_stories, run_story

T = run_story.START
OPEN = fold(RunSnapshot(run="alpha", alive=True), [*run_story.opening(), *run_story.iterations(1, 40)])
NOW = T + 2 + 40 * run_story.SECONDS + 0.2


def test_every_debug_flag_has_a_short_name() -> None:
    assert set(SHORT) == set(FLAGS)


def test_the_trainers_own_word(subtests: pytest.Subtests) -> None:
    for state, word in (
        ("collecting", "COLLECTING"),
        ("learning", "UPDATING"),
        ("paused", "PAUSED"),
        ("saving", "SAVING"),
        ("stopping", "STOPPING"),
        ("starting", "STARTING"),
        ("dreaming", "DREAMING"),
    ):
        with subtests.test(state=state, word=word):
            snapshot = fold_control(OPEN, run_story.live(NOW, state=state, reason="by ada"), NOW)
            now = condition(snapshot, NOW)
            assert (now.word, now.detail, now.running) == (word, "by ada", True)
            assert now.symbol


def test_every_state_has_a_word_and_a_symbol_of_its_own() -> None:
    states = ["collecting", "learning", "paused", "saving", "starting", "failed"]
    seen = [condition(fold_control(OPEN, run_story.live(NOW, state=state), NOW), NOW) for state in states]
    assert len({now.word for now in seen}) == len({now.symbol for now in seen}) == len(states)


def test_a_silent_trainer_is_seen_with_its_age() -> None:
    snapshot = fold_control(OPEN, run_story.live(NOW, state="learning"), NOW)
    assert condition(snapshot, NOW + 4.9).word == "UPDATING"
    silent = condition(snapshot, NOW + 12)
    assert (silent.word, silent.running) == ("SILENT", True)
    assert silent.detail == "no word from the trainer for 12 s, was updating"


def test_starting_may_take_a_while() -> None:
    starting = fold(RunSnapshot(alive=True), [run_story.header()])
    assert condition(starting, T + 30).word == "STARTING"
    assert condition(starting, T + 61).word == "SILENT"


def test_before_the_first_record() -> None:
    assert condition(RunSnapshot(alive=True), T).word == "STARTING"
    assert condition(RunSnapshot(), T).word == "STARTING"
    gone = condition(RunSnapshot(alive=False), T)
    assert (gone.word, gone.running) == ("DID NOT START", False)


def test_the_ends_of_a_run() -> None:
    stopped = fold(OPEN, [run_story.finished(800_000, NOW, reason="asked to stop")])
    assert condition(stopped, NOW + 1000).word == "STOPPED"
    failed = fold(OPEN, [run_story.finished(800_000, NOW, 1, "3 workers died within a minute")])
    assert (condition(failed, NOW).word, condition(failed, NOW).detail) == (
        "FAILED",
        "3 workers died within a minute; 42,240 unsaved timesteps lost",
    )
    limited = fold(RunSnapshot(), [run_story.header(step_limit=1000), run_story.finished(1000, NOW)])
    assert condition(limited, NOW).word == "FINISHED"
    assert not condition(limited, NOW).running


def test_a_process_that_is_gone_without_an_end() -> None:
    gone = condition(replace(OPEN, alive=False), NOW + 420)
    assert (gone.word, gone.detail) == (
        "ENDED UNCLEANLY",
        "the trainer's process is gone, last word 7 min ago; 61,440 unsaved timesteps lost",
    )
    failed = fold(replace(OPEN, alive=False), [StateChanged(time=NOW, state="failed", reason="no memory")])
    assert (condition(failed, NOW).word, condition(failed, NOW).detail) == (
        "FAILED",
        "no memory; 61,440 unsaved timesteps lost",
    )
    unknown = replace(OPEN, alive=False, saved_timesteps=None)
    assert condition(unknown, NOW + 420).detail == "the trainer's process is gone, last word 7 min ago"
    saved = fold(replace(OPEN, alive=False), [run_story.saved(OPEN.timesteps, NOW)])
    assert "lost" not in condition(saved, NOW).detail


def test_a_deleted_folder_is_said_whether_the_trainer_lives_or_not() -> None:
    gone = condition(replace(OPEN, alive=None, gone=True), NOW)
    assert (gone.word, gone.running) == ("FOLDER GONE", False)
    live = fold_control(replace(OPEN, alive=None, gone=True), run_story.live(NOW), NOW)
    assert (condition(live, NOW).word, condition(live, NOW).running) == ("FOLDER GONE", True)
    assert "the trainer is collecting" in condition(live, NOW).detail


def test_a_dead_reader_comes_before_everything() -> None:
    assert condition(replace(OPEN, reader_problem="OSError: gone"), NOW).word == "NOT READING"


def test_goals_and_their_times() -> None:
    checkpoint, milestone = progress.step_targets(OPEN)
    # 40 iterations of 20,480: saved at the iteration that crossed 750,000 (37 × 20,480)
    assert OPEN.saved_timesteps == 757_760
    assert (checkpoint.target, round(checkpoint.share, 4)) == (1_007_760, round((819_200 - 757_760) / 250_000, 4))
    assert (milestone.target, round(milestone.share, 4)) == (5_000_000, round(819_200 / 5_000_000, 4))
    speed = progress.speed(OPEN)
    assert speed is not None
    assert milestone.seconds == pytest.approx((5_000_000 - 819_200) / speed)


def test_while_paused_nothing_comes_nearer() -> None:
    paused = fold_control(OPEN, run_story.live(NOW, state="paused", timesteps=OPEN.timesteps), NOW)
    assert [goal.seconds for goal in progress.step_targets(paused)] == [None, None]
    line = plain([progress_line(paused, 120)])
    assert line.count(" in –") == 2
    assert " in " in plain([progress_line(OPEN, 120)])


def test_who_has_ended_is_paused_no_more() -> None:
    paused = fold_control(OPEN, run_story.live(NOW, state="paused"), NOW)
    assert paused.paused and not paused.ended
    killed = replace(paused, alive=False)
    stopped = fold(paused, [StateChanged(time=NOW, state="paused", reason=""), run_story.finished(800_000, NOW)])
    assert [(run.paused, run.ended, run.state) for run in (killed, stopped)] == [(False, True, "paused")] * 2
    assert not replace(paused, alive=None).ended, "nobody can tell"


def test_no_estimate_before_three_iterations_and_a_limit_where_there_is_one() -> None:
    two = fold(RunSnapshot(), [*run_story.opening(step_limit=81_920), *run_story.iterations(1, 2)])
    assert [(goal.name, goal.seconds) for goal in progress.step_targets(two)] == [
        ("checkpoint", None),
        ("milestone", None),
        ("limit", None),
    ]
    three = fold(two, run_story.iterations(3, 3))
    limit = progress.step_targets(three)[-1]
    assert (limit.target, limit.share) == (81_920, 0.75)
    assert limit.seconds is not None
    assert progress.step_targets(RunSnapshot()) == []


def test_the_next_phase_is_a_goal_with_the_time_of_its_trend_or_its_latest() -> None:
    snapshot = fold(RunSnapshot(), figure_stories.campaign(80))
    speed = progress.speed(snapshot)
    assert speed is not None
    [goal] = [goal for goal in progress.step_targets(snapshot) if goal.name == "promotion"]
    assert (goal.words, goal.share, goal.target, goal.sure) == ("2 of 4", pytest.approx(0.5), None, "trend")
    assert goal.seconds == pytest.approx(160 * run_story.STEPS / speed), (
        "its touches rise by a quarter an iteration, 40 are missing"
    )
    wandering = fold(RunSnapshot(), figure_stories.campaign(9))  # too few for a trend, but the phase ends in any case
    [goal] = [goal for goal in progress.step_targets(wandering) if goal.name == "promotion"]
    pace_then = progress.speed(wandering)
    assert pace_then is not None
    assert (goal.sure, goal.seconds) == ("latest", pytest.approx((30_000_000 - 9 * run_story.STEPS // 4) / pace_then))


def test_before_its_figures_are_measured_a_phase_has_no_share_and_no_time() -> None:
    opened = fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan()])
    [goal] = [goal for goal in progress.step_targets(opened) if goal.name == "promotion"]
    assert (goal.words, goal.share, goal.seconds) == ("0 of 2", None, None)


HEADER = msgspec.structs.replace(run_story.header(), time=T, learning_rate=1e-3, critic_learning_rate=1e-3)


def change(setting: str, value: float | None, after: float, **more: object) -> SettingChanged:
    told = {
        "time": T + after,
        "timesteps": int(after),
        "setting": setting,
        "value": value,
        "by": "ada on tower",
        **more,
    }
    return msgspec.convert(told, SettingChanged, strict=False)


def holding(*records: Record) -> list[str]:
    held = in_force(fold(RunSnapshot(), [HEADER, *records]))
    return sorted(change_words(record) for record in held)


def test_only_the_newest_of_each_setting_holds() -> None:
    first, second = change("learning rate", 5e-4, 1), change("learning rate", 3e-4, 2)
    assert holding(first, second, change("entropy", 0.02, 3)) == ["entropy coefficient 0.02", "learning rate 0.0003"]
    assert holding(first, second, change("learning rate", 1e-3, 4, profile=True)) == []


def test_flags_hold_by_worker_until_they_are_off() -> None:
    flag = "debug_turtled_start"
    one, other = change(f"{flag} on in worker 0", None, 1), change(f"{flag} on in worker 1", None, 2)
    assert holding(one, other) == [f"{flag} on in worker 0", f"{flag} on in worker 1"]
    assert holding(one, other, change(f"{flag} off in worker 0", None, 3)) == [f"{flag} on in worker 1"]
    assert holding(one, other, change(f"{flag} on", None, 3)) == [f"{flag} on"]
    assert holding(one, other, change(f"{flag} off", None, 3)) == []
    assert holding(change(f"{flag} on", None, 1), change(f"{flag} off", None, 2), change(f"{flag} on", None, 3)) == [
        f"{flag} on"
    ]


def test_a_resume_ends_flags_and_keeps_what_goes_on() -> None:
    touch, flag = change("reward touch", 2.0, 1), change("debug_turtled_start on", None, 2)
    again = msgspec.structs.replace(HEADER, time=T + 9, by_hand={"reward touch": 2.0})
    resumed = RunResumed(time=T + 9, timesteps=5, checkpoint="5", reason="newest")
    assert holding(touch, flag, again, resumed) == ["reward touch 2"]
    assert holding(touch, flag, msgspec.structs.replace(again, by_hand={}), resumed) == []
    snapshot = fold(RunSnapshot(), [HEADER, touch, again, resumed, change("entropy", 0.02, 10)])
    assert by_hand(snapshot) == ["reward touch 2, by ada at 1", "entropy coefficient 0.02, by ada at 10"]
    assert by_hand(fold(snapshot, [change("reward touch", 1.0, 11, profile=True)])) == [
        "entropy coefficient 0.02, by ada at 10"
    ]


def test_a_resume_to_before_the_newest_change_puts_the_older_one_in_force_again() -> None:
    """The record of what was undone stays in the audit, and is the newest there."""
    older, undone = change("reward touch", 2.0, 1), change("reward touch", 3.0, 7)
    again = msgspec.structs.replace(HEADER, time=T + 9, by_hand={"reward touch": 2.0})
    resumed = RunResumed(time=T + 9, timesteps=5, checkpoint="5", reason="newest")
    assert holding(older, undone, again, resumed) == ["reward touch 2"]
    assert holding(older, change("reward touch", 1.0, 7, profile=True), again, resumed) == ["reward touch 2"]
    assert by_hand(fold(RunSnapshot(), [HEADER, older, undone, again, resumed])) == ["reward touch 2, by ada at 1"]


def test_a_task_ends_what_it_does_not_carry_on() -> None:
    task = run_story.phase_changed(T + 3, 3)
    assert holding(change("reward touch", 2.0, 1), change("entropy", 0.02, 2), task) == []
    kept = msgspec.structs.replace(task.task, by_hand={"entropy": 0.02})
    task = msgspec.structs.replace(task, task=kept)
    assert holding(change("reward touch", 2.0, 1), change("entropy", 0.02, 2), task) == ["entropy coefficient 0.02"]


def test_flags_end_with_the_trainer_and_settings_wait_for_the_next() -> None:
    told = [HEADER, change("reward touch", 2.0, 1), change("debug_turtled_start on", None, 2)]
    assert holding(*told[1:], run_story.finished(5, T + 9)) == ["reward touch 2"]
    dead = fold(RunSnapshot(alive=False), told)
    assert [change_words(record) for record in in_force(dead)] == ["reward touch 2"]


def test_flags_end_with_the_trainer_also_where_the_clock_was_set_back() -> None:
    on = change("debug_turtled_start on", None, 2)
    again = msgspec.structs.replace(HEADER, time=T - 3600)
    assert holding(on, again) == []
    assert holding(on, again, change("debug_actions on", None, -3000)) == ["debug_actions on"]


def test_without_a_header_the_newest_of_each_holds() -> None:
    """As at the end of a long journal, which is shown first."""
    told = [change("reward touch", 2.0, 1), change("reward touch", 3.0, 2), change("entropy", 0.02, 3)]
    held = in_force(fold(RunSnapshot(), [*told, change("entropy", 0.01, 4, profile=True)]))
    assert [change_words(record) for record in held] == ["reward touch 3"]


def test_what_goes_on_is_named_where_the_audit_does_not_reach_back() -> None:
    snapshot = fold(RunSnapshot(), [msgspec.structs.replace(HEADER, by_hand={"reward touch": 2.0})])
    assert by_hand(snapshot) == ["reward touch 2"]


def test_the_critic_s_rate_is_the_one_in_the_record(subtests: pytest.Subtests) -> None:
    for critic, rates in ((3.0000000000000003e-4, "learning rate 0.0003"), (1e-4, "policy 0.0003, critic 0.0001")):
        with subtests.test(critic=critic, rates=rates):
            records: list[Record] = [
                HEADER,
                change("learning rate", 5e-4, 1, critic=5e-4),
                change("learning rate", 3e-4, 2, critic=critic),
            ]
            header = fold(RunSnapshot(), records).header
            assert header is not None and dict(facts_of(header))["rates"] == rates


def test_without_a_record_of_it_the_critic_s_rate_keeps_its_proportion() -> None:
    twice = msgspec.structs.replace(HEADER, critic_learning_rate=2e-3)
    header = fold(RunSnapshot(), [twice, change("learning rate", 5e-4, 1)]).header
    assert header is not None and header.critic_learning_rate == pytest.approx(1e-3)
