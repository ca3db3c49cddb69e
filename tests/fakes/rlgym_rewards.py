"""RewardFunctions as users of RLGym write them: stateful, with parameters, sharing information, looking at everything."""

from __future__ import annotations

from typing import Any

import numpy as np
from rlgym.api import RewardFunction
from rlgym.rocket_league.reward_functions import CombinedReward, GoalReward, TouchReward

NAMES = np.array(["blue", "orange"])  # a default that no profile can write


class GoalsAndTouches(CombinedReward):
    """RLGym's own, combined."""

    def __init__(self) -> None:
        super().__init__((GoalReward(), 10.0), TouchReward())


class Streak(RewardFunction[str, Any, float]):
    """Pays more for each touch of the same car in a row, less for each second without one; forgets at a reset."""

    category = "ball"
    sign = 0

    def __init__(self, growth: float = 1.5, most: int = 4, fade: float | None = None, names: Any = NAMES) -> None:
        self.growth, self.most, self.fade, self.names = growth, most, fade, names
        self.streaks: dict[str, int] = {}
        self.last_tick = 0

    def reset(self, agents: list[str], initial_state: Any, shared_info: dict[str, Any]) -> None:
        self.streaks = dict.fromkeys(agents, 0)
        self.last_tick = initial_state.tick_count
        shared_info["episodes"] = shared_info.get("episodes", 0) + 1

    def get_rewards(
        self, agents: list[str], state: Any, is_terminated: Any, is_truncated: Any, shared_info: dict[str, Any]
    ) -> dict[str, float]:
        touched = [agent for agent in agents if state.cars[agent].ball_touches > 0]
        for agent in touched:
            self.last_tick = state.tick_count
            self.streaks = {other: min(self.streaks[other] + 1, self.most) * (other == agent) for other in agents}
        waited = (state.tick_count - self.last_tick) / 120 * (self.fade or 0.01)
        paid = {agent: self.growth ** self.streaks[agent] * (agent in touched) - waited for agent in agents}
        return {agent: value + 0.001 * shared_info["episodes"] for agent, value in paid.items()}


class Everything(RewardFunction[str, Any, float]):
    """A number that changes when any field of RLGym's state does, of this step or of the one before."""

    def reset(self, agents: list[str], initial_state: Any, shared_info: dict[str, Any]) -> None:
        self.before = initial_state

    def get_rewards(
        self,
        agents: list[str],
        state: Any,
        is_terminated: dict[str, bool],
        is_truncated: dict[str, bool],
        shared_info: dict[str, Any],
    ) -> dict[str, float]:
        shared_info["seen"] = shared_info.get("seen", 0) + 1
        ends = 3.0 * sum(is_terminated.values()) + 5.0 * sum(is_truncated.values())
        world = _sum(_world(state)) - 0.5 * _sum(_world(self.before)) + ends
        self.before = state
        return {agent: world + _sum(_car(state.cars[agent], agents)) for agent in agents}


def _world(state: Any) -> list[Any]:
    config = [state.config.gravity, state.config.boost_consumption, state.config.dodge_deadzone]
    scoring = -1 if state.scoring_team is None else state.scoring_team
    return [
        state.tick_count / 120, state.goal_scored, scoring, *config, *_body(state.ball), *_body(state.inverted_ball),
        state.boost_pad_timers, state.inverted_boost_pad_timers,
    ]  # fmt: skip


def _car(car: Any, agents: list[str]) -> list[Any]:
    victim = -1 if car.bump_victim_id is None else agents.index(car.bump_victim_id)
    return [
        car.team_num, car.hitbox_type, car.ball_touches, victim, car.demo_respawn_timer, car.wheels_with_contact,
        car.supersonic_time, car.boost_amount, car.boost_active_time, car.handbrake, car.is_jumping, car.has_jumped,
        car.is_holding_jump, car.jump_time, car.has_flipped, car.has_double_jumped, car.air_time_since_jump, car.flip_time,
        car.flip_torque, car.is_autoflipping, car.autoflip_timer, car.autoflip_direction, *_body(car.physics),
        *_body(car.inverted_physics), car.on_ground, car.can_flip, car.is_flipping, car.had_car_contact,
    ]  # fmt: skip


def _body(body: Any) -> list[Any]:
    return [body.position / 1000, body.linear_velocity / 1000, body.angular_velocity, body.rotation_mtx]


def _sum(values: list[Any]) -> float:
    """Each number counts with a factor of its own."""
    flat = np.concatenate([np.ravel(np.asarray(value, np.float64)) for value in values])
    return float(flat @ np.sin(np.arange(1, len(flat) + 1)))
