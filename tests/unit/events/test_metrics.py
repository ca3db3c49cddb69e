"""Every key that a journal can have is named, explained and judged."""

from __future__ import annotations

import math

import pytest

from rltui.events.metric_health import TEXTS, Health, health_words, side_of, usual_range
from rltui.events.metrics import METRICS, SECTIONS, health_of, in_order, metric_of, section_of
from tests.fakes import run_story

NOTHING = health_of("no/such_key")


def test_every_metric_of_the_table_says_what_it_means_and_what_is_usual(subtests: pytest.Subtests) -> None:
    for metric in METRICS:
        with subtests.test(metric=repr(metric)):
            key = getattr(metric, "key", "")
            assert metric_of(key) is metric
            assert metric_of(key).help.endswith((".", "?"))
            assert health_of(key) is not NOTHING
            assert health_of(key).healthy.endswith(".")


def test_no_text_is_of_a_metric_that_is_none() -> None:
    assert set(TEXTS) <= {metric.key for metric in METRICS}


def test_all_that_a_run_tells_is_explained() -> None:
    for key in run_story.campaign_iteration(0.0).metrics:
        assert metric_of(key).help, key
        assert health_of(key) is not NOTHING, key


def test_keys_by_pattern(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("train/approx_kl", "KL", "Update"),
        ("reward/touch", "touch", "Rewards"),
        ("weight/goal", "weight of goal", "Reward weights"),
        ("metric/height", "height", "Measured"),
        ("mechanics/metric/height", "height (mechanics)", "Measured (mechanics)"),
        ("worker/3/memory_mb", "worker 3 memory", "Workers"),
        ("worker/12/seconds", "worker 12 rollout", "Workers"),
        ("worker/0/steps_per_second", "worker 0 speed", "Workers"),
        ("curriculum/kickoff_touches", "kickoff touches, measured", "Curriculum"),
        ("curriculum/kickoff_touches_missing", "kickoff touches missing", "Curriculum"),
        ("mechanics/reward/touch", "touch (mechanics)", "Rewards (mechanics)"),
        ("mechanics/turtle/events", "turtled (mechanics)", "Turtle recovery (mechanics)"),
        ("foreign/figure_of_theirs", "figure of theirs", "Other"),
        ("bare", "bare", "Other"),
    ]
    for key, label, section in cases:
        with subtests.test(key=key, label=label):
            assert (metric_of(key).key, metric_of(key).label, section_of(key)) == (key, label, section)


def test_lists_have_sections_in_order_and_the_lanes_last() -> None:
    keys = ["time/learn", "mechanics/reward/touch", "train/entropy", "zoo/x", "timesteps", "reward/b", "reward/a", "rollout/boost", "rollout/policy_reward"]  # fmt: skip
    assert in_order(keys) == [
        "rollout/policy_reward", "rollout/boost", "reward/a", "reward/b", "train/entropy", "time/learn", "zoo/x",
        "mechanics/reward/touch",
    ]  # fmt: skip
    assert next(iter(SECTIONS)) == "rollout"


def test_a_value_is_judged_against_its_range() -> None:
    kl = health_of("train/approx_kl")
    assert health_words(kl, 0.031).startswith("above the usual 0.002–0.02; lower the learning rate or ppo.epochs")
    assert health_words(kl, 0.0001).startswith("below the usual 0.002–0.02; the policy hardly moves")
    assert health_words(kl, 0.02) == health_words(kl, 0.002) == "within the usual 0.002–0.02"
    assert health_words(health_of("rollout/kickoff_touches"), 60.0).startswith(
        "below the usual 80 or more; it misses some kickoffs"
    )
    assert health_words(health_of("train/reward_clipped"), 4.0).startswith(
        "above the usual 1 or less; large rewards look alike"
    )


def test_what_is_unknown_is_not_judged() -> None:
    kl = health_of("train/approx_kl")
    for value in (None, math.nan, math.inf):
        assert side_of(kl, value) == "none"
        assert health_words(kl, value) == ""
    assert side_of(health_of("rollout/boost"), 50.0) == "none"


def test_a_range_with_one_end() -> None:
    assert usual_range(Health("", low=2)) == "2 or more"
    assert usual_range(Health("", high=0.5)) == "0.5 or less"
    assert side_of(Health("", low=2), 1.9) == "low"
    assert side_of(Health("", high=2), 1.9) == "usual"
