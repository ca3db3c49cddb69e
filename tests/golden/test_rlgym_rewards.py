"""RLGym's RewardFunctions through the adapter against RLGym itself: the same starts and actions, number for number.

At 1v1 RLGym plays by itself; with more cars its engine reads the arena that we play: see test_states_against_rlgym.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rlgym.rocket_league.reward_functions import CombinedReward

from rltui.bridge.rlgym_states import RlgymStates
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.registry import Component
from rltui.sim.state import Simulated
from tests.fakes import rlgym_rewards
from tests.fakes.batches import new_out
from tests.fakes.chasing import chase
from tests.golden.test_soccar_batch_against_rlgym import PADDED, RlgymArena, Scripted, our_spec
from tests.golden.test_states_against_rlgym import Along

FILE = Path(rlgym_rewards.__file__)
STREAK = {"growth": 1.2, "fade": 0.02}
ARENAS, STEPS = 3, 200


def component(name: str, options: dict[str, float] | None = None) -> Component:
    return Component(f"{FILE}:{name}", options or {})


WEIGHTS = {"GoalsAndTouches": 1.0, "Streak": 0.3, "Everything": 0.01}


def batch(teams: tuple[int, int], seed: int, arenas: int, **changes: Any) -> SoccarBatch:
    parts = [Weighted(component(name, STREAK if name == "Streak" else {}), weight) for name, weight in WEIGHTS.items()]
    return SoccarBatch(replace(our_spec(teams, PADDED), rewards=tuple(parts), **changes), arenas, [seed, *teams])


def judged() -> CombinedReward:
    """The same as RLGym has them."""
    rewards = rlgym_rewards.GoalsAndTouches(), rlgym_rewards.Streak(**STREAK), rlgym_rewards.Everything()
    return CombinedReward(*zip(rewards, WEIGHTS.values(), strict=True))


def chosen(env: SoccarBatch, rng: np.random.Generator) -> Any:
    """After the ball, mostly."""
    actions = chase(env.state)
    astray = rng.random(actions.shape) < 0.3
    actions[astray] = rng.integers(0, env.action_spec.outputs, astray.sum())
    return actions


def test_rewards_are_rlgyms_at_1v1() -> None:
    env = batch((1, 1), 0, ARENAS)
    script = Scripted(env._resets)
    env._resets = script  # type: ignore[assignment]
    out = new_out(env)
    env.reset(out)
    judges = [RlgymArena((1, 1), PADDED, queue) for queue in script.queues]
    for judge in judges:
        judge.env.reward_fn = judged()
        judge.reset()
    rng = np.random.default_rng(11)
    ends = {"terminated": 0, "truncated": 0, "touches": 0}
    for step in range(STEPS):
        actions = chosen(env, rng)
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


def test_rewards_are_rlgyms_with_several_cars_a_team() -> None:
    """In one episode, for RLGym reads what we have played."""
    env = batch((2, 1), 7, 1, terminals=(Component("timeout", {"seconds": 200.0}),))
    out = new_out(env)
    env.reset(out)
    agents = RlgymStates(env.state, Simulated(env.arenas_simulated)).agents
    rlgym, reward, shared = Along(env._sim, agents), judged(), dict[str, Any]()
    reward.reset(agents, rlgym.state, shared)
    rng, touches, going_on = np.random.default_rng(11), 0, dict.fromkeys(agents, False)
    for step in range(10 * STEPS):
        actions = chosen(env, rng)
        env.step(actions, out)
        rlgym.step(dict(zip(agents, actions[0].tolist(), strict=True)))
        expected = reward.get_rewards(agents, rlgym.state, going_on, going_on, shared)
        np.testing.assert_allclose(
            out.rewards[0], list(expected.values()), rtol=1e-4, atol=1e-4, err_msg=f"step {step}"
        )
        touches += int((env.state.touches > 0).sum())
        if step >= STEPS and touches >= 2:
            return
    raise AssertionError(f"{touches} touches")
