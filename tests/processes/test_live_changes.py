"""Changed while it runs, over socket and pipes: debug flags in the workers, learning rate, entropy, reward weights.

One run serves all; what each test sets it takes back, until the last one, which ends the run and begins it again.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from rltui.events.commands import FLAGS, CommandRefused, SetEntropy, SetFlag, SetLearningRate, SetRewardWeight
from rltui.events.records import (
    CommandLogged,
    LogLine,
    RunStarted,
    SettingChanged,
    Switched,
    WorkerStarted,
)
from rltui.runs.inventory import complete_checkpoints
from tests.fakes.asking import applied, ask
from tests.fakes.training import Training, wait_for


def lines(training: Training, flag: str, after: float = 0.0) -> list[LogLine]:
    """Debug lines of a flag that came after this moment."""
    found = (record for record in training.poll() if isinstance(record, LogLine))
    return [record for record in found if record.flag == flag and record.time > after]


def said(training: Training, flag: str, words: str) -> set[int | None]:
    """Who has said these words: workers' numbers, None for the trainer."""
    return {line.worker for line in lines(training, flag) if words in line.message}


def setting_changes(training: Training) -> list[SettingChanged]:
    return [record for record in training.poll() if isinstance(record, SettingChanged)]


def wait_said(training: Training, flag: str, text: str) -> None:
    """From all from whom it must come."""
    wait_for(lambda: said(training, flag, text) == EFFECTS[flag][1], f"{text!r} of {flag}")


EFFECTS = {
    "global_debug_mode": (("ball at", "turtle probe, arena"), {0, 1}),
    "debug_actions": (("step ", "chosen actions turn", "controls are throttle, steer"), {0, 1}),
    "debug_turtled_start": (("new episodes that begin on the roof", "turtle probe after the first step"), {0, 1}),
    "debug_learning": (("train/entropy = ",), {None}),
    "debug_checkpoints": (("due at",), {None}),
}


def test_each_flag_has_its_effect_and_loses_it(shared_run: Training, subtests: pytest.Subtests) -> None:
    running = shared_run
    for flag in FLAGS:
        with subtests.test(flag=flag):
            assert lines(running, flag) == []
            assert applied(running, SetFlag(flag, True)).detail == "by 2 of 2 workers"
            for text in EFFECTS[flag][0]:
                wait_said(running, flag, text)
            applied(running, SetFlag(flag, False))
            running.wait_more_iterations(3)
            audit = [record for record in running.poll() if isinstance(record, CommandLogged)]
            assert [logged.command for logged in audit[-4:]] == [f"{flag} on"] * 2 + [f"{flag} off"] * 2, "both answers"
            records = running.poll()
            since = records[records.index(audit[-1]) :]
            assert [record for record in since if isinstance(record, LogLine) and record.flag] == []


def test_episodes_begin_on_the_roof_and_do_not_any_more(shared_run: Training) -> None:
    running = shared_run
    applied(running, SetFlag("debug_turtled_start", True))
    wait_for(lambda: (running.iterations()[-1].metrics["turtle/events"] or 0) > 0, "turtles in the journal")
    applied(running, SetFlag("debug_turtled_start", False))
    wait_for(lambda: running.iterations()[-1].metrics["turtle/events"] == 0, "an iteration without turtles")
    changes = [(r.setting, r.switched) for r in running.poll() if isinstance(r, SettingChanged)]
    assert changes[-2:] == [
        (f"debug_turtled_start {word}", Switched(flag="debug_turtled_start", on=word == "on")) for word in ("on", "off")
    ]


def test_one_worker_alone_and_what_is_more_than_can_be_read_is_counted(shared_run: Training) -> None:
    """How many lines a second has room for: unit/train/test_debug_output."""
    running, start = shared_run, time.time()
    assert applied(running, SetFlag("debug_actions", True, 1)).detail == "by worker 1"
    applied(running, SetFlag("global_debug_mode", True, 1))
    wait_for(lambda: any("left out" in line.message for line in lines(running, "global_debug_mode", start)), "drops")
    for flag in ("debug_actions", "global_debug_mode"):
        applied(running, SetFlag(flag, False, 1))
        assert {line.worker for line in lines(running, flag, start)} == {1}
    published = [line for line in lines(running, "global_debug_mode", start) if "left out" not in line.message]
    counts = [line for line in lines(running, "global_debug_mode", start) if "left out" in line.message]
    left_out = sum(int(line.message.split()[0].replace(",", "")) for line in counts)
    assert published and left_out > 0


def test_a_flag_survives_the_worker(shared_run: Training) -> None:
    running, start = shared_run, time.time()
    applied(running, SetFlag("debug_actions", True, 0))
    os.kill(running.worker_pid(0), signal.SIGKILL)
    wait_for(
        lambda: any(r.worker == 0 and r.restarts == 1 for r in running.wait_records(WorkerStarted)), "a new worker"
    )
    [again] = [r for r in running.poll() if isinstance(r, WorkerStarted) and r.restarts]
    wait_for(
        lambda: any("controls are" in line.message for line in lines(running, "debug_actions", again.time)),
        "the new worker's lines",
    )
    applied(running, SetFlag("debug_actions", False, 0))
    assert {line.worker for line in lines(running, "debug_actions", start)} == {0}


def test_rate_entropy_and_weight_are_applied_and_in_the_journal(shared_run: Training) -> None:
    running = shared_run
    before = len(setting_changes(running))
    assert "0.0001 instead of 0.0002" in applied(running, SetLearningRate(1e-4)).detail
    assert applied(running, SetEntropy(0.005)).detail == "0.005 instead of 0.01, until taken back"
    answer = applied(running, SetRewardWeight("touch", 2.0))
    assert answer.detail == "2 instead of 1, until taken back, by 2 of 2 workers"

    def shows(key: str, value: float | None) -> bool:
        return running.iterations()[-1].metrics.get(key) == value

    wait_for(lambda: shows("train/learning_rate", 1e-4), "the rate in the journal")
    wait_for(lambda: shows("train/ent_coef", 0.005), "the coefficient in the journal")
    wait_for(lambda: shows("weight/touch", 2.0), "the weight in the journal")
    assert applied(running, SetRewardWeight("speed_toward_ball", 0.0)).detail.startswith("0 instead")
    episodes = [row for row in running.iterations() if row.metrics["rollout/episodes"]]
    assert any(row.metrics["reward/speed_toward_ball"] for row in episodes)
    wait_for(lambda: shows("reward/speed_toward_ball", 0.0), "episodes in which it pays nothing")
    applied(running, SetRewardWeight("touch", None))
    wait_for(lambda: "weight/touch" not in running.iterations()[-1].metrics, "the profile's weight")
    found = setting_changes(running)[before:]
    assert [r.profile for r in found] == [False] * 4 + [True]
    assert [r.critic for r in found] == [pytest.approx(1e-4), *[None] * 4], "as in the profile: the policy's"
    changes = [(r.setting, r.value, r.by) for r in found]
    assert changes == [
        ("learning rate", 1e-4, "tester"),
        ("entropy", 0.005, "tester"),
        ("reward touch", 2.0, "tester"),
        ("reward speed_toward_ball", 0.0, "tester"),
        ("reward touch", 1.0, "tester"),
    ]
    applied(running, SetLearningRate(None))
    applied(running, SetEntropy(None))
    applied(running, SetRewardWeight("speed_toward_ball", None))


def test_what_cannot_be_is_refused_with_the_reason(shared_run: Training) -> None:
    before = len(setting_changes(shared_run))
    for command, reason in (
        (SetLearningRate(7.0), "0 to 1, found 7"),
        (SetEntropy(11.0), "0 to 10, found 11"),
        (SetRewardWeight("tuch", 2.0), 'did you mean "touch"?'),
        (SetFlag("debug_action", True), 'did you mean "debug_actions"?'),
        (SetFlag("debug_actions", True, 2), "no worker 2: they are 0 to 1"),
        (SetFlag("debug_learning", True, 0), "set it for all"),
    ):
        answer = ask(shared_run, command)
        assert isinstance(answer, CommandRefused)
        assert reason in answer.reason
    assert len(setting_changes(shared_run)) == before


def test_what_was_set_by_hand_outlives_the_trainer_until_the_profile_changes(shared_run: Training) -> None:
    running = shared_run
    applied(running, SetLearningRate(5e-5))
    applied(running, SetEntropy(0.005))
    applied(running, SetRewardWeight("touch", 2.0))
    applied(running, SetFlag("debug_actions", True))
    assert running.process is not None
    running.process.terminate()
    assert running.wait_end() == 0
    first = len(running.iterations())
    reached = complete_checkpoints(running.paths)[-1].timesteps
    running.start("--steps", str(reached + 512), "--set", "ppo.ent_coef=0.02")
    assert running.wait_end() == 0, running.output
    [row] = running.iterations()[first:]
    assert (row.metrics["weight/touch"], row.metrics["train/ent_coef"]) == (2.0, 0.02)
    assert row.metrics["train/learning_rate"] == 5e-5
    starts = [record for record in running.poll() if isinstance(record, RunStarted)]
    assert [start.by_hand for start in starts] == [{}, {"learning rate": 5e-5, "reward touch": 2.0}]
    assert [start.ppo["ent_coef"] for start in starts] == [0.01, 0.02]
    messages = [record.message for record in running.poll() if isinstance(record, LogLine)]
    assert "set by hand, still in force: learning rate 5e-05 (profile 0.0002), reward touch 2 (profile 1)" in messages
    assert "the profile's entropy coefficient, changed since, replaces 0.005, set by hand" in messages
    assert not lines(running, "debug_actions", row.time - 0.001), "flags are of one trainer's life"
