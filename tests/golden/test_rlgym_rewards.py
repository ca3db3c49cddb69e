"""RLGym's RewardFunctions through the adapter against RLGym itself: the same starts and actions, number for number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rlgym.rocket_league.reward_functions import CombinedReward

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.registry import Component
from tests.fakes import rlgym_rewards
from tests.fakes.batches import new_out
from tests.fakes.chasing import chase
from tests.golden.test_soccar_batch_against_rlgym import PADDED, RlgymArena, Scripted, our_spec

FILE = Path(rlgym_rewards.__file__)
STREAK = {"growth": 1.2, "fade": 0.02}
ARENAS, STEPS = 3, 200


def component(name: str, options: dict[str, float] | None = None) -> Component:
    return Component(f"{FILE}:{name}", options or {})


@pytest.mark.parametrize(("teams", "seed"), [((1, 1), 0), ((2, 1), 7)], ids=["1v1", "2v1"])
def test_rewards_are_rlgyms(teams: tuple[int, int], seed: int) -> None:
    weights = {"GoalsAndTouches": 1.0, "Streak": 0.3, "Everything": 0.01}
    parts = [Weighted(component(name, STREAK if name == "Streak" else {}), weight) for name, weight in weights.items()]
    env = SoccarBatch(replace(our_spec(teams, PADDED), rewards=tuple(parts)), ARENAS, [seed, *teams])
    script = Scripted(env._resets)
    env._resets = script  # type: ignore[assignment]
    out = new_out(env)
    env.reset(out)
    judges = [RlgymArena(teams, PADDED, queue) for queue in script.queues]
    for judge in judges:
        judge.env.reward_fn = CombinedReward(
            (rlgym_rewards.GoalsAndTouches(), 1.0),
            (rlgym_rewards.Streak(**STREAK), 0.3),
            (rlgym_rewards.Everything(), 0.01),
        )
        judge.reset()
    rng = np.random.default_rng(11)
    ends = {"terminated": 0, "truncated": 0, "touches": 0}
    for step in range(STEPS):
        actions = chase(env.state)
        astray = rng.random(actions.shape) < 0.3
        actions[astray] = rng.integers(0, env.action_spec.outputs, astray.sum())
        env.step(actions, out)
        ends["touches"] += int((env.state.touches > 0).sum())
        assert not env.state.demos.any(), "choose another seed: RLGym respawns cars by the clock"
        for arena, judge in enumerate(judges):
            _, rewards, terminated, truncated = judge.step(actions[arena])
            where = f"step {step}, arena {arena}"
            np.testing.assert_allclose(out.rewards[arena], rewards, rtol=1e-4, atol=1e-4, err_msg=where)
            if terminated or truncated:
                ends["terminated"] += terminated
                ends["truncated"] += truncated
                judge.reset()
    assert min(ends.values()) >= 2, ends
