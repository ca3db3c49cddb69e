"""The practice arenas in a real run: their metrics stand apart, and their rewards sum up by themselves."""

from __future__ import annotations

import pytest

from rltui.events.records import IterationFinished
from tests.fakes.training import TINY, Training

LANE = """
[mechanics]
weight = 0.25
resets = [{kind = "random"}]
terminals = [{kind = "timeout", seconds = 2}]
[mechanics.rewards]
touch = 3.0
face_ball = 0.5
"""


def test_metrics_by_arena_group(training: Training) -> None:
    training.profile = TINY + LANE
    training.start("--steps", "3000")
    assert training.wait_end() == 0, training.output
    rows = [row.metrics for row in training.wait_records(IterationFinished)]
    row = next(row for row in rows if row["rollout/episodes"] and row["mechanics/rollout/episodes"])
    assert row["mechanics/rollout/episode_seconds"] == pytest.approx(2.0, abs=0.1)
    for prefix, names in (("", {"touch", "speed_toward_ball"}), ("mechanics/", {"touch", "face_ball"})):
        parts = {key.removeprefix(f"{prefix}reward/"): row[key] for key in row if key.startswith(f"{prefix}reward/")}
        assert set(parts) == names
        assert sum(value or 0.0 for value in parts.values()) == pytest.approx(
            row[f"{prefix}rollout/policy_reward"], abs=1e-5
        )
