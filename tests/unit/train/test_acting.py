"""How a worker waits for the trainer's actions."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.train.collect import acting
from rltui.train.collect.acting import LONGEST_NAP, NAP, AskedPolicy


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
