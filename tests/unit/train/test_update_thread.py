"""An update beside collecting: the same bits as one in turn; abandoned, it leaves no trace; what it raises is raised."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from rltui.learn.ppo import PPOLearner
from rltui.train.update_thread import UpdateThread
from tests.fakes.rollouts import learner, rollout


def test_it_learns_as_in_turn() -> None:
    one, two, data = learner(), learner(), rollout()
    expected = one.update(data)
    with UpdateThread(two, data, 1) as update:
        report = update.result(lambda: None)
    assert report.metrics == expected.metrics
    np.testing.assert_array_equal(one.policy_flat(), two.policy_flat())
    assert update.seconds > 0


def test_a_loop_that_ends_abandons_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = learner()
    before, inside = mine.policy_flat(), threading.Event()
    real = PPOLearner.update

    def update(self: PPOLearner, *arguments: object) -> object:
        inside.set()
        thread = threading.current_thread()
        assert isinstance(thread, UpdateThread) and thread._abandoned.wait(60)
        return real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(PPOLearner, "update", update)
    with pytest.raises(KeyboardInterrupt), UpdateThread(mine, rollout(), 1):
        inside.wait(60)
        raise KeyboardInterrupt
    np.testing.assert_array_equal(mine.policy_flat(), before)
    assert mine.updates == 0


def test_what_it_raises_is_raised() -> None:
    data = rollout()
    data.actions = data.actions + 10_000
    with pytest.raises(ValueError, match="action"), UpdateThread(learner(), data, 1) as update:
        update.result(lambda: None)


def test_abandoned_it_says_whether_it_was_over(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = learner(), learner()
    with UpdateThread(one, rollout(), 1) as update:
        update.join()
        report = update.abandon()
    assert report is not None and one.updates == report.steps > 0
    monkeypatch.setattr(UpdateThread, "start", lambda self: (self._abandoned.set(), threading.Thread.start(self)))
    with UpdateThread(two, rollout(), 1) as update:
        assert update.abandon() is None
    assert two.updates == 0


def test_abandoned_it_still_raises_what_it_raised() -> None:
    data = rollout()
    data.actions = data.actions + 10_000
    with UpdateThread(learner(), data, 1) as update, pytest.raises(ValueError, match="action"):
        update.abandon()
