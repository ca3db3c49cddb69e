"""The comparison with bare torch runs, alternates, and leaves torch as it was."""

from __future__ import annotations

import torch

from rltui.actions.spec import ActionSpec
from rltui.debug.update_bench import UpdateShape, random_rollout, update_against_bare

SMALL = UpdateShape(
    workers=2, steps=8, agents=4, obs_size=6, actions=ActionSpec(5), layers=(16,), critic_layers=(16,), minibatch=20
)


def test_both_are_timed_and_the_number_of_threads_is_put_back() -> None:
    threads = torch.get_num_threads()
    times = update_against_bare(SMALL, rounds=3, threads=threads + 1)
    assert times.update_seconds > 0 < times.bare_seconds
    assert times.ratio > 0
    assert torch.get_num_threads() == threads


def test_the_rollout_has_the_shape_asked_for() -> None:
    data = random_rollout(SMALL)
    assert SMALL.rows == 64
    assert data.shape == (2, 8, 4)
    data.check(6, SMALL.actions)
