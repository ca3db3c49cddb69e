"""A game's reward weights by name, as they are after so many timesteps of a task."""

from __future__ import annotations

from rltui.env.spec import Weighted
from rltui.registry import Component
from tests.fakes.batches import spec


def test_weights_are_told_by_the_names_of_reports_and_follow_their_schedules() -> None:
    goal = Weighted(Component("goal"), 10.0, ((0, 10.0), (1000, 20.0)))
    found = spec(rewards=(Weighted(Component("touch"), 2.0), goal))
    assert found.reward_weights(0) == {"touch": 2.0, "goal": 10.0}
    assert found.reward_weights(500) == {"touch": 2.0, "goal": 15.0}
    assert list(found.reward_weights(0)) == found.reward_names
