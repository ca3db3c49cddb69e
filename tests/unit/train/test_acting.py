"""How a worker waits for the trainer's actions."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.actions.spec import ActionSpec
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.weights import flat_size
from rltui.train.collect import acting
from rltui.train.collect.acting import LONGEST_NAP, NAP, AskedPolicy, LocalPolicy


def test_who_waits_long_looks_seldom_and_is_hardly_late(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Through a pause of a minute a worker looks a hundred times a second; an answer within a step is seen at once."""
    for wait, looks in ((0.001, 20), (0.1, 200), (60.0, 6_500)):
        with subtests.test(wait=wait):
            asked, answered, looked, clock = np.zeros(2, np.int64), np.zeros(2, np.int64), 0, 0.0

            def look() -> None:
                nonlocal looked
                looked += 1

            def sleep(seconds: float, answered: np.ndarray = answered, wait: float = wait) -> None:
                nonlocal clock
                clock += seconds
                if clock >= wait:
                    answered[1] = 1

            monkeypatch.setattr(acting.time, "sleep", sleep)
            policy = AskedPolicy(asked, answered, np.zeros(1, np.bool_), look)
            policy.seen(1, 0)
            policy.act(1, 0)
            assert asked.tolist() == [0, 1]
            assert looked <= looks
            assert clock - wait <= NAP + min(0.02 * wait, LONGEST_NAP)


def test_a_step_begins_with_its_answer_and_a_rollout_ends_where_there_is_none_but_not_before_its_first_step() -> None:
    for t, answers, all_begun, begins in (
        (3, 4, False, True),
        (3, 4, True, True),
        (3, 3, True, False),
        (0, 1, True, True),
    ):
        answered = np.array([answers, 0], np.int64)
        policy = AskedPolicy(np.zeros(2, np.int64), answered, np.array([all_begun]), lambda: None)
        assert policy.begins(t) is begins

    answered[0], looks = 0, 0

    def look() -> None:
        nonlocal looks
        looks += 1
        answered[0] = looks // 3

    assert AskedPolicy(np.zeros(2, np.int64), answered, np.ones(1, np.bool_), look).begins(0)
    assert looks == 3


def test_nothing_is_chosen_where_an_opponent_plays() -> None:
    """Of two parts, against one policy for the learner's rows alone."""
    sizes, actions, rng = (4, 8, 6), ActionSpec(6), np.random.default_rng(0)
    shape = (3, 5)
    block = {
        "obs": rng.normal(size=(*shape, 4)).astype(np.float32),
        "legality": np.zeros(shape, np.uint8),
        "player": np.array([[0, 0, 0, 0, 0], [0, 255, 0, 0, 0], [0, 1, 0, 255, 0]], np.uint8),
        "actions": np.full(shape, 99, np.int64),
        "log_probs": np.full(shape, 99, np.float32),
    }
    weights = rng.normal(size=flat_size(sizes)).astype(np.float32)
    policy = LocalPolicy(sizes, [slice(0, 3), slice(3, 5)], actions, False, GumbelBank(1))
    policy.begin(block, weights)
    twin, noise = DiscretePolicy(sizes, 5), GumbelBank(1)
    twin.set_weights(weights)
    for t in range(3):
        for part, agents in enumerate((slice(0, 3), slice(3, 5))):
            policy.act(part, t)
            mine = block["player"][t, agents] == 0
            chosen, chances = np.zeros(mine.sum(), np.int64), np.zeros(mine.sum(), np.float32)
            twin.act(block["obs"][t, agents][mine], noise, chosen, chances)
            np.testing.assert_array_equal(block["actions"][t, agents][mine], chosen)
            np.testing.assert_array_equal(block["log_probs"][t, agents][mine], chances)
            assert not block["actions"][t, agents][~mine].any() and not block["log_probs"][t, agents][~mine].any()
