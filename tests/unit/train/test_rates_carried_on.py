"""Which learning rate wins after a resume or at a new phase, and that it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rltui.learn.schedules import LearningRates, Schedule
from rltui.runs.trainer_state import RateState
from rltui.train.active_task import carried_on, stored

LINEAR = Schedule("linear", 2e-4, 2e-4, steps=1_000, floor=0.0)
ADAPTIVE = replace(LINEAR, kind="kl_adaptive")


def test_without_a_stored_one_it_is_the_schedule_at_the_resumed_step() -> None:
    rates, words = carried_on(LINEAR, None)
    assert (rates.at(500).policy, words) == (pytest.approx(1e-4), "")
    rates, words = carried_on(LINEAR, stored(LearningRates(LINEAR)))
    assert (rates.at(500).policy, words) == (pytest.approx(1e-4), "")


@pytest.mark.parametrize("schedule", [LINEAR, ADAPTIVE])
def test_one_set_by_hand_goes_on_while_the_profile_says_the_same(schedule: Schedule) -> None:
    state = stored(LearningRates(schedule, override=5e-4))
    rates, words = carried_on(schedule, state)
    assert rates.at(500).policy == 5e-4
    assert "0.0005, set by hand, goes on" in words
    rates, words = carried_on(replace(schedule, learning_rate=1e-4), state)
    assert (rates.override, rates.at(0).policy) == (None, 1e-4)
    assert "the profile's learning rate, which has changed, wins over 0.0005" in words


def test_kl_adaptive_keeps_what_it_had_reached() -> None:
    state = stored(LearningRates(ADAPTIVE, adapted=7e-5))
    rates, words = carried_on(ADAPTIVE, state)
    assert rates.at(0).policy == 7e-5
    assert "7e-05 goes on as KL had set it" in words
    rates, words = carried_on(replace(ADAPTIVE, floor=1e-6), state)
    assert (rates.at(0).policy, "wins over 7e-05" in words) == (2e-4, True)
    rates, words = carried_on(LINEAR, state)
    assert (rates.at(0).policy, words) == (2e-4, "")


def test_taken_back_kl_goes_on_from_where_it_was() -> None:
    rates, _ = carried_on(ADAPTIVE, RateState(words=ADAPTIVE.text, adapted=7e-5, override=5e-4))
    rates.override = None
    assert rates.at(0).policy == 7e-5
