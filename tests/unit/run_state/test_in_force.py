"""What holds of the changes by hand, and what the header says of them."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.records import Record, RunResumed, SettingChanged, change_words
from rltui.run_state.condition import in_force
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.run_info import by_hand, facts_of
from tests.fakes import run_story

T = run_story.START
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
