"""What the cockpit and the terminal say about runs that go on, and about runs that have ended."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.events.records import CheckpointSaved, IterationFinished, WorkerFailed
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import CommandStatus, LeftAt, RunSnapshot
from rltui.tui.cockpit.messages import away_text, command_status, how_to_resume
from rltui.tui.notifications import exit_message
from rltui.tui.text import plain
from tests.fakes import run_story

T = run_story.START


def test_every_run_that_goes_on_is_named_at_exit(subtests: pytest.Subtests) -> None:
    for training, words in (
        ([], None),
        (["alpha"], "alpha keeps training; come back with: rltui attach alpha"),
        (["alpha", "beta"], "alpha, beta keep training; come back with: rltui attach RUN"),
        (list("abcde"), "a, b, c and 2 more keep training; come back with: rltui attach RUN"),
    ):
        with subtests.test(training=training):
            assert exit_message(training) == words


def test_the_keys_are_the_user_s_own() -> None:
    ended = RunSnapshot(run="alpha", alive=False, saved_timesteps=757_760)
    assert how_to_resume(ended, {}) == "it has ended: R resumes it at 757,760 timesteps"
    assert how_to_resume(ended, {"resume": ("ctrl+r",)}) == "it has ended: ^r resumes it at 757,760 timesteps"


def test_a_run_at_its_step_limit_is_not_said_to_just_go_on() -> None:
    ended = RunSnapshot(run="alpha", alive=False, saved_timesteps=40_448, header=run_story.header(step_limit=40_000))
    said = "it has ended at its limit of 40,000 timesteps: R asks for a new one and trains on"
    assert how_to_resume(ended, {}) == said
    assert "resumes it at 39,000" in how_to_resume(replace(ended, saved_timesteps=39_000), {})


def test_nothing_is_promised_where_nothing_is_saved() -> None:
    unsaved = RunSnapshot(run="alpha", alive=False)
    assert how_to_resume(unsaved, {}) == "it has ended with nothing saved: R starts it anew"
    assert how_to_resume(replace(unsaved, gone=True), {}) == "it is gone from disk: H opens the launcher"


def test_a_script_of_others_is_started_again_by_its_own_command() -> None:
    header = msgspec.structs.replace(run_story.header(), command=["python", "my train.py"])
    ended = RunSnapshot(run="alpha", alive=False, saved_timesteps=9, header=header)
    assert how_to_resume(ended, {}) == "it has ended: rltui run --run alpha -- python 'my train.py' goes on in it"


def test_answers_are_the_trainers_words_and_fade() -> None:
    def answer(stage: str, text: str, after: float) -> str:
        status = CommandStatus(1, "pause", stage, text, T)  # type: ignore[arg-type]
        return plain([command_status(RunSnapshot(command_statuses=(status,)), T + after)])

    assert answer("sent", "", 0.5) == "◌ pause sent"
    assert answer("sent", "", 3.0) == "◌ pause sent: no answer within 3.0 s"
    assert answer("accepted", "", 60) == "◌ pause accepted: 1 min"
    assert answer("applied", "paused", 2) == "✓ pause applied: paused"
    assert answer("refused", "bob controls", 2) == "✗ pause refused: bob controls"
    assert answer("unsent", "this view is read-only", 2) == "✗ pause not sent: this view is read-only"
    lost = answer("lost", "the connection ended after 4 s", 2)
    assert lost == "✗ pause sent, no answer: the connection ended after 4 s"
    assert answer("applied", "paused", 9) == ""
    assert plain([command_status(RunSnapshot(), T)]) == ""


def test_what_came_while_nobody_looked() -> None:
    before = fold(RunSnapshot(), [run_story.header(), failure(0), milestone(100), row(1, 100)])
    left = LeftAt(T, before.timesteps, before.log_total)
    assert away_text(left, before, T + 90) == "1 min 30 s: 0 timesteps, 0 deaths, 0 milestones"
    now = fold(before, [failure(0), failure(1), row(2, 70_000), milestone(60_000)])
    assert away_text(left, now, T + 11_520) == "3 h 12 min: 69,900 timesteps, 2 deaths, 1 milestone"


def failure(worker: int) -> WorkerFailed:
    return WorkerFailed(time=T, worker=worker, kind="died", reason="killed by SIGKILL", trace="")


def milestone(timesteps: int) -> CheckpointSaved:
    return CheckpointSaved(
        time=T, kind="milestone", path="m", label="5 M", timesteps=timesteps, bytes=1, held_seconds=0.0, seconds=0.1
    )


def row(number: int, timesteps: int) -> IterationFinished:
    return IterationFinished(time=T, iteration=number, timesteps=timesteps, metrics={})
