"""The guard: a NaN or infinity changes nothing, and its source is named."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from tests.fakes.rollouts import learner, rollout, weights


def everything(of: PPOLearner) -> tuple[object, ...]:
    """All state that an update may change, in a comparable form."""
    state = of._state
    adams = (state.policy_optimizer, state.critic_optimizer)
    moments = [(adam.steps, [moment.tolist() for moment in adam.tensors()]) for adam in adams]
    return weights(of).tolist(), moments, copy.copy(state.return_statistics), of.updates, len(of._buffer)


def spoil_obs(data: Rollout) -> None:
    data.obs[1, 3, 2, 4] = np.nan


def spoil_last_obs(data: Rollout) -> None:
    data.obs[0, 12, 0, 0] = np.inf


def spoil_reward(data: Rollout) -> None:
    data.rewards[0, 5, 3] = -np.inf


def spoil_log_prob(data: Rollout) -> None:
    data.log_probs[1, 0, 1] = np.nan


def spoil_obs_and_what_was_made_from_it(data: Rollout) -> None:
    spoil_obs(data)
    data.log_probs[1, 3, 2] = np.nan


def spoil_final_obs(data: Rollout) -> None:
    data.final_obs[-1, 5] = np.nan


def test_a_bad_input_is_named_and_nothing_changes(subtests: pytest.Subtests) -> None:
    for learned in (False, True):
        for spoil, source in (
            (spoil_obs, "observation index 4 is nan: worker 1, arena 1, car 0, step 3"),
            (spoil_obs_and_what_was_made_from_it, "observation index 4 is nan: worker 1, arena 1, car 0, step 3"),
            (spoil_last_obs, "observation index 0 is inf: worker 0, arena 0, car 0, step 12"),
            (spoil_reward, "reward -inf of worker 0, arena 1, car 1, step 5"),
            (spoil_log_prob, "log-probability nan of worker 1, arena 0, car 1, step 0"),
        ):
            with subtests.test(learned=learned, spoil=spoil, source=source):
                ours = learner(buffer_iterations=2)
                if learned:
                    ours.update(rollout(seed=9))
                before = everything(ours)
                data = rollout()
                spoil(data)
                report = ours.update(data)
                assert report.dropped == source
                assert (report.metrics, report.steps) == ({}, 0)
                assert everything(ours) == before


def test_a_bad_final_observation_is_named_with_its_step() -> None:
    data = rollout()
    spoil_final_obs(data)
    w, t, a = np.unravel_index(data.final_index[-1], (2, 12, 4))
    expected = f"final observation index 5 is nan: worker {w}, arena {a // 2}, car {a % 2}, step {t}"
    assert learner().update(data).dropped == expected


def test_a_critic_that_gives_no_number_is_named() -> None:
    ours = learner()
    with torch.no_grad():
        ours._state.critic.model[4].bias.fill_(float("inf"))
    assert ours.update(rollout()).dropped == "critic's value inf of worker 0, arena 0, car 0, step 0"


def test_a_loss_that_is_not_finite_in_the_middle_of_an_update(subtests: pytest.Subtests) -> None:
    """At the third of four minibatches a weight turns NaN: after one optimiser step, before the second."""
    for which in ("policy", "critic"):
        with subtests.test(which=which):
            ours = learner(minibatch=48, buffer_iterations=2)
            ours.update(rollout(seed=9))
            before = everything(ours)
            calls = 0

            def spoil(ours: PPOLearner = ours, which: str = which) -> None:
                nonlocal calls
                calls += 1
                if calls == 5:
                    with torch.no_grad():
                        getattr(ours._state, which).model[0].weight[0, 0] = float("nan")

            report = ours.update(rollout(), between=spoil)
            assert report.dropped == f"{which} loss is nan (epoch 2, row 0)"
            assert everything(ours) == before


def test_a_gradient_that_is_not_finite(subtests: pytest.Subtests) -> None:
    for which in ("policy", "critic"):
        with subtests.test(which=which):
            ours = learner()
            before = everything(ours)
            hook = getattr(ours._state, which).model[2].weight.register_hook(lambda grad: grad * float("inf"))
            report = ours.update(rollout())
            assert report.dropped in (
                f"{which} gradient is nan (epoch 1, row 0)",
                f"{which} gradient is inf (epoch 1, row 0)",
            )
            assert everything(ours) == before
            hook.remove()
            clean = learner()
            assert ours.update(rollout()).metrics == clean.update(rollout()).metrics
            assert torch.equal(weights(ours), weights(clean))


class Abandoned(BaseException):
    pass


def test_an_abandoned_update_leaves_nothing_behind() -> None:
    ours = learner(minibatch=24, buffer_iterations=2)
    ours.update(rollout(seed=9))
    before = everything(ours)
    calls = 0

    def abandon() -> None:
        nonlocal calls
        calls += 1
        if calls == 14:  # of 2 epochs × 8 minibatches
            raise Abandoned

    with pytest.raises(Abandoned):
        ours.update(rollout(), between=abandon)
    assert everything(ours) == before


def test_controls_are_looked_at_before_every_minibatch() -> None:
    calls: list[None] = []
    learner(minibatch=24).update(rollout(), between=lambda: calls.append(None))
    assert len(calls) == 2 * 4
