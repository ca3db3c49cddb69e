"""Learning rates over time against arithmetic by hand; floors, proportions, overrides; and that the optimisers get them."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rltui.learn.schedules import CEILING, LearningRates, Schedule
from tests.fakes.rollouts import learner, rollout, weights

BASE = Schedule(learning_rate=2e-4, critic_learning_rate=4e-4, steps=1_000, floor=5e-5, target_kl=0.01)


def test_by_timesteps_and_the_critic_in_proportion(subtests: pytest.Subtests) -> None:
    for kind, timesteps, rate in (
        ("constant", 0, 2e-4),
        ("constant", 10**9, 2e-4),
        ("linear", 0, 2e-4),
        ("linear", 250, 5e-5 + 0.75 * 1.5e-4),
        ("linear", 1_000, 5e-5),
        ("linear", 5_000, 5e-5),
        ("cosine", 0, 2e-4),
        ("cosine", 250, 5e-5 + 1.5e-4 * (1 + cos(pi / 4)) / 2),
        ("cosine", 500, 1.25e-4),
        ("cosine", 1_000, 5e-5),
        ("cosine", 9_000, 5e-5),
        ("kl_adaptive", 700, 2e-4),
    ):
        with subtests.test(kind=kind, timesteps=timesteps, rate=rate):
            rates = LearningRates(replace(BASE, kind=kind)).at(timesteps)  # type: ignore[arg-type]
            assert (rates.policy, rates.critic) == (pytest.approx(rate), pytest.approx(2 * rate))


def test_kl_raises_and_lowers_by_a_half_within_floor_and_ceiling() -> None:
    rates = LearningRates(replace(BASE, kind="kl_adaptive"))
    rates.learned(0.015)  # within half and twice the target
    assert rates.at(0).policy == pytest.approx(2e-4)
    rates.learned(0.03)
    assert rates.at(0).policy == pytest.approx(2e-4 / 1.5)
    rates.learned(None)  # a dropped update says nothing
    rates.learned(0.001)
    assert rates.at(0).policy == pytest.approx(2e-4)
    for _ in range(10):
        rates.learned(1.0)
    assert rates.at(0).policy == 5e-5
    for _ in range(40):
        rates.learned(0.0)
    assert rates.at(0).policy == CEILING


def test_what_kl_has_made_of_it_goes_on_after_a_resume() -> None:
    schedule = replace(BASE, kind="kl_adaptive")
    assert LearningRates(schedule, adapted=7e-5).at(10**9).policy == 7e-5
    assert LearningRates(replace(schedule, kind="linear"), adapted=7e-5).at(0).policy == 2e-4, "of another schedule"


def test_a_rate_given_by_hand_holds_until_it_is_taken_back(subtests: pytest.Subtests) -> None:
    for kind in ("constant", "linear", "cosine", "kl_adaptive"):
        with subtests.test(kind=kind):
            rates = LearningRates(replace(BASE, kind=kind))  # type: ignore[arg-type]
            before = rates.at(300)
            rates.override = 1e-3
            rates.learned(1.0)
            assert (rates.at(300).policy, rates.at(300).critic) == (1e-3, pytest.approx(2e-3))
            rates.override = None
            assert rates.at(300) == before


def test_without_a_rate_of_the_policy_there_is_no_proportion() -> None:
    rates = LearningRates(Schedule(learning_rate=0.0, critic_learning_rate=1e-3)).at(5)
    assert (rates.policy, rates.critic) == (0.0, 1e-3)


@given(st.sampled_from(["linear", "cosine"]), st.integers(0, 3_000), st.integers(0, 3_000))
def test_falls_and_never_below_the_floor(kind: str, one: int, other: int) -> None:
    schedule = replace(BASE, kind=kind)  # type: ignore[arg-type]
    early, late = schedule.planned(min(one, other)), schedule.planned(max(one, other))
    assert 2e-4 >= early >= late >= 5e-5


def test_another_word_is_another_text() -> None:
    changes = ({"kind": "linear"}, {"learning_rate": 1e-4}, {"critic_learning_rate": 1.0}, {"steps": 5}, {"floor": 0.0})
    texts = {BASE.text, *(replace(BASE, **change).text for change in changes), replace(BASE, target_kl=0.5).text}  # type: ignore[arg-type]
    assert len(texts) == 7
    assert replace(BASE).text == BASE.text


def test_the_optimisers_learn_at_these_rates() -> None:
    of = learner()
    before = weights(of)
    of.set_rates(0.0, 0.0)
    report = of.update(rollout())
    assert report.metrics["train/learning_rate"] == 0.0
    assert weights(of).equal(before), "a rate of 0 changes nothing"
    of.set_rates(1e-3, 0.0)
    assert of.update(rollout()).metrics["train/critic_update"] == 0.0
    assert of.update(rollout()).metrics["train/policy_update"] > 0.0


def test_another_configuration_forgets_earlier_iterations_and_nothing_else() -> None:
    of = learner(buffer_iterations=3)
    first = of.update(rollout())
    assert of.update(rollout(seed=1)).rows == 2 * first.rows
    before = weights(of)
    updates = of.updates
    of.configure(replace(of.config, buffer_iterations=2, epochs=1, learning_rate=5e-4))
    assert weights(of).equal(before)
    assert of.updates == updates
    report = of.update(rollout(seed=2))
    assert report.rows == first.rows
    assert (report.steps, report.metrics["train/learning_rate"]) == (1, 5e-4)
    assert of.update(rollout(seed=3)).rows == 2 * first.rows
