"""Workers that go different numbers of steps: an update on what each has gone, whatever lies behind that in shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.train.collect.collector import Collected, _rollout
from rltui.train.collect.messages import RolloutDone
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout
from tests.fakes.rollouts import ACTIONS, CONFIG, OBS, rollout, weights

MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1]], np.bool_)
SPEC = ActionSpec(ACTIONS, MASKS)
SHAPE = RolloutShape(1, workers=3, steps=6, arenas=2, cars=2, obs_size=OBS, actions=SPEC, parameters=1, slack=4)
PIECE, CARS = 4, SHAPE.agents  # steps of a piece of a worker's line of play
STEPS = ("actions", "log_probs", "rewards", "terminated", "truncated")


@pytest.fixture
def shared() -> Iterator[SharedRollout]:
    made = SharedRollout.create(SHAPE)
    yield made
    made.close()


def masked_learner() -> PPOLearner:
    return PPOLearner(
        NetSizes(OBS, SPEC, (16, 16), (16, 16)), replace(CONFIG, buffer_iterations=2, batch=30, minibatch=13)
    )


def pieces(owners: list[int], seed: int) -> Rollout:
    """Each a worker's by itself. Where that of its owner goes on, every episode ends with its last step: by its terminal, or cut."""
    data = rollout(workers=len(owners), steps=PIECE, agents=CARS, seed=seed)
    goes_on = [owner in owners[piece + 1 :] for piece, owner in enumerate(owners)]
    data.terminated[goes_on, -1], data.truncated[goes_on, -1] = [True, False] * 2, [False, True] * 2
    index = np.flatnonzero(data.truncated & ~data.terminated)
    finals = np.random.default_rng(seed).standard_normal((len(index), OBS), np.float32)
    legality = (data.obs[..., 0] > 0).astype(np.uint8)
    return replace(data, actions=data.actions // 2 * 2, legality=legality, final_index=index, final_obs=finals)


def collected(shared: SharedRollout, data: Rollout, owners: list[int]) -> Collected:
    """As if these workers had played the pieces, one behind the other; a worker without any died. All else is poison."""
    for name, array in shared.block(0).items():
        array[...] = np.nan if array.dtype == np.float32 else True if array.dtype == np.bool_ else 99
        if name == "final_count":
            array[...] = 0
    for piece, owner in enumerate(owners):
        block, start = shared.worker_block(0, owner), PIECE * owners[:piece].count(owner)
        for name in STEPS:
            block[name][start : start + PIECE] = getattr(data, name)[piece]
        assert data.legality is not None
        block["obs"][start : start + PIECE + 1] = data.obs[piece]
        block["legality"][start : start + PIECE + 1] = data.legality[piece]
        block["player"][start : start + PIECE + 1] = 0
        mine = data.final_index // (PIECE * CARS) == piece
        count = int(block["final_count"])
        found = slice(count, count + int(mine.sum()))
        block["final_index"][found] = data.final_index[mine] % (PIECE * CARS) + start * CARS
        block["final_obs"][found] = data.final_obs[mine]
        block["final_count"][...] = found.stop
    gone = [PIECE * owners.count(worker) for worker in range(SHAPE.workers)]
    reports = [RolloutDone(1.0, {}, {}, 0, steps) if steps else None for steps in gone]
    return Collected(_rollout(shared, 0, reports), reports)


@pytest.mark.parametrize("owners", [[0, 0, 1, 2, 2], [0, 2, 2], [1, 1, 2], [0, 0, 1, 1, 2, 2], [0, 1, 2], [1, 1]])
def test_an_update_equals_one_on_the_pieces_as_rollouts_of_their_own(shared: SharedRollout, owners: list[int]) -> None:
    """But for rounding, over two iterations. The observations are not copied, and masked only where it is needed."""
    ours, twin = masked_learner(), masked_learner()
    for seed in range(2):
        data = pieces(owners, seed)
        found = collected(shared, data, owners)
        longest = PIECE * max(map(owners.count, owners))
        assert found.rows == data.rows and found.rollout.shape == (SHAPE.workers, longest, CARS)
        assert np.shares_memory(found.rollout.obs, shared.block(0)["obs"])
        assert (found.rollout.learn is None) == (len({owners.count(worker) for worker in owners}) == 1)
        one, other = ours.update(found.rollout), twin.update(data)
        assert one.dropped is None and (one.rows, one.steps) == (other.rows, other.steps)
        assert one.metrics == pytest.approx(other.metrics, rel=1e-4, abs=1e-6)
        torch.testing.assert_close(weights(ours), weights(twin), rtol=1e-4, atol=1e-5)
        del found
