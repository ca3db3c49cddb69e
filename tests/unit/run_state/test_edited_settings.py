"""A start with another [ppo] than before: marked like a change by hand, and named where something went wrong after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from rltui.events.records import ENTROPY, RATE, IterationFinished, Record, RunResumed, RunStarted, decode, encode
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.run_state.verdict import verdict, with_findings
from tests.fakes import run_story

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
        ({"learning_rate": 3e-4, "critic_learning_rate": 3e-4}, [("learning rate 0.0003", RATE)]),
        ({"critic_learning_rate": 3e-4}, [("ppo.critic_learning_rate 0.0003", "ppo.critic_learning_rate")]),
        ({"ent_coef": 0.5}, [("entropy coefficient 0.5", ENTROPY)]),
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
        ChartMark(LAST, "changed", "learning rate 0.01", RATE)
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
