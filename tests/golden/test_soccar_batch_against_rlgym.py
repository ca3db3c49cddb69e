"""SoccarBatch against RLGym v2: the same starts and actions, 1,200 steps over many episodes, number for number.

With one car a team, for with more no two arenas are the same for long: see test_states_against_rlgym.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from rlgym.api import RewardFunction, RLGym
from rlgym.rocket_league.action_parsers import LookupTableAction, RepeatAction
from rlgym.rocket_league.done_conditions import AnyCondition, GoalCondition, NoTouchTimeoutCondition, TimeoutCondition
from rlgym.rocket_league.obs_builders import DefaultObs
from rlgym.rocket_league.reward_functions import CombinedReward, GoalReward, TouchReward
from rlgym.rocket_league.sim import RocketSimEngine

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, Weighted
from rltui.registry import Component
from rltui.sim.state import ArenaSetup
from tests.fakes import seed_task_rewards
from tests.fakes.arenas import fill_rlgym_state
from tests.fakes.batches import new_out

ARENAS, STEPS = 4, 300
NO_TOUCH, TIMEOUT = 4.0, 9.0
SCALE = [1 / 4096, 1 / 6000, 1 / 2044]
UNPADDED = {"zero_padding": None, "pos_coef": SCALE, "ang_vel_coef": 1 / 5.5}
PADDED: dict[str, Any] = {}
WEIGHTS = {"in_air": 0.002, "speed_toward_ball": 0.01, "velocity_ball_to_goal": 0.1, "touch": 1.0}


class Judge(RewardFunction[str, Any, float]):
    """A reward of the benchmark task."""

    def __init__(self, name: str) -> None:
        self._value = getattr(seed_task_rewards, name)

    def reset(self, agents: Any, initial_state: Any, shared_info: Any) -> None:
        pass

    def get_rewards(self, agents: Any, state: Any, is_terminated: Any, is_truncated: Any, shared_info: Any) -> Any:
        return {agent: self._value(state.cars[agent], state) for agent in agents}


class Scripted:
    """Hands our resets' setups on to RLGym (as its StateMutator), some turned into shots so that there are goals."""

    def __init__(self, resets: Any) -> None:
        self._resets, self._drawn = resets, 0
        self._by_generator: dict[int, deque[ArenaSetup]] = {}

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup: ArenaSetup = self._resets.sample(rng, blue, orange)
        if self._drawn % 3 == 2:
            side = 1 if self._drawn % 2 else -1
            setup.ball_position[:] = 300, 4000 * side, 200
            setup.ball_velocity[:] = -200, 2000 * side, 100
            setup.kickoff = False
        self._by_generator.setdefault(id(rng), deque()).append(setup)  # every arena has a generator of its own
        self._drawn += 1
        return setup

    @property
    def queues(self) -> list[deque[ArenaSetup]]:
        """Setups not yet taken, by arena."""
        return list(self._by_generator.values())


def our_spec(teams: tuple[int, int], obs: dict[str, Any]) -> EnvSpec:
    rewards = [Weighted(Component(name, options(name)), weight) for name, weight in WEIGHTS.items()]
    rewards += [Weighted(Component("goal"), 10.0), Weighted(Component("concede"), -10.0)]
    return EnvSpec(
        blue=teams[0],
        orange=teams[1],
        obs=Component("default", obs),
        table=Component("rlgym"),
        rewards=tuple(rewards),
        resets=(Weighted(Component("kickoff"), 0.4), Weighted(Component("random"), 0.6)),
        terminals=(
            Component("goal"),
            Component("no_touch", {"seconds": NO_TOUCH}),
            Component("timeout", {"seconds": TIMEOUT}),
        ),
    )


def options(name: str) -> dict[str, Any]:
    """The benchmark task aims at the ground and does not punish a ball that goes the other way."""
    return {"clip": True, "target_z": 0.0} if name == "velocity_ball_to_goal" else {}


class RlgymArena:
    """One RLGym environment that plays the scripted starts."""

    def __init__(self, teams: tuple[int, int], obs: dict[str, Any], queue: deque[ArenaSetup]) -> None:
        self._teams, self._queue = teams, queue
        arguments = {key: np.array(value) if isinstance(value, list) else value for key, value in obs.items()}
        rewards = [(Judge(name), weight) for name, weight in WEIGHTS.items() if name != "touch"]
        self.env: Any = RLGym(
            state_mutator=self,  # type: ignore[arg-type]
            obs_builder=DefaultObs(**arguments),
            action_parser=RepeatAction(LookupTableAction(), repeats=8),
            reward_fn=CombinedReward(*rewards, (TouchReward(), WEIGHTS["touch"]), (GoalReward(), 10.0)),
            termination_cond=GoalCondition(),
            truncation_cond=AnyCondition(NoTouchTimeoutCondition(NO_TOUCH), TimeoutCondition(TIMEOUT)),
            transition_engine=RocketSimEngine(),
        )

    def apply(self, state: Any, shared_info: Any) -> None:
        fill_rlgym_state(state, self._queue.popleft(), *self._teams)

    def reset(self) -> Any:
        """RLGym removes the cars in the order in which it adds them, which changes the simulator's order of collisions
        from one reset to the next: an arena of its own for each episode is the comparison that means something.
        """
        self.env.transition_engine = RocketSimEngine()
        return rows(self.env.reset())

    def step(self, actions: Any) -> Any:
        chosen = {agent: actions[i : i + 1] for i, agent in enumerate(self.env.agents)}
        obs, rewards, terminated, truncated = self.env.step(chosen)
        return rows(obs), rows(rewards), any(terminated.values()), any(truncated.values())


def rows(by_agent: dict[str, Any]) -> Any:
    return np.array(list(by_agent.values()))


@pytest.mark.parametrize(("teams", "obs"), [((1, 1), UNPADDED), ((1, 0), PADDED)], ids=["1v1", "1v0"])
def test_observations_rewards_and_ends_are_rlgyms(teams: tuple[int, int], obs: dict[str, Any]) -> None:
    env = SoccarBatch(our_spec(teams, obs), ARENAS, [7, *teams])
    script = Scripted(env._resets)
    env._resets = script  # type: ignore[assignment]
    out = new_out(env)
    env.reset(out)
    judges = [RlgymArena(teams, obs, queue) for queue in script.queues]
    for arena, judge in enumerate(judges):
        np.testing.assert_allclose(out.obs[arena], judge.reset(), rtol=1e-5, atol=1e-6)
    rng = np.random.default_rng(3)
    ends = {"goals": 0, "cuts": 0, "touches": 0}
    for step in range(STEPS):
        actions = rng.integers(0, env.action_spec.outputs, (ARENAS, env.cars))
        actions[rng.random(actions.shape) < 0.5] = 18  # full speed ahead: otherwise nothing is ever touched
        finals = env.step(actions, out)
        cut = dict(zip(finals.arenas.tolist(), finals.obs, strict=True))
        for arena, judge in enumerate(judges):
            expected, rewards, terminated, truncated = judge.step(actions[arena])
            where = f"step {step}, arena {arena}"
            np.testing.assert_allclose(out.rewards[arena], rewards, rtol=1e-4, atol=1e-6, err_msg=where)
            assert out.terminated[arena] == terminated, where
            assert out.truncated[arena] == (truncated and not terminated), where
            ends["touches"] += int((rewards > 0.9).sum())
            if out.truncated[arena]:
                ends["cuts"] += 1
                np.testing.assert_allclose(cut[arena], expected, rtol=1e-5, atol=1e-6, err_msg=where)
            if terminated or truncated:
                ends["goals"] += terminated
                expected = judge.reset()
            np.testing.assert_allclose(out.obs[arena], expected, rtol=1e-5, atol=1e-6, err_msg=where)
    assert ends["goals"] >= 3 and ends["cuts"] >= 3 and ends["touches"] >= 3, ends
