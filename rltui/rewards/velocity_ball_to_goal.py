"""`velocity_ball_to_goal`: how fast the ball goes to the opponents' net. `basic_shot`: the same for the last toucher only."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.geometry import component
from rltui.rewards.nets import NetParams, opponent_nets
from rltui.rewards.reward import Reward
from rltui.sim.field import BALL_MAX_SPEED
from rltui.sim.state import Float, GameState


class VelocityBallToGoal(Reward):
    """Ball velocity · direction from the ball to the middle of the opponents' back net / 6000: −1..1."""

    category = "goal"
    sign = 0

    @dataclass(frozen=True)
    class Params(NetParams):
        clip: bool = field(default=False, metadata={"doc": "No penalty for a ball that goes away: at least 0."})

        def __post_init__(self) -> None:
            if not isinstance(self.clip, bool):
                raise TypeError(f"clip must be true or false, found {self.clip!r}")

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._clip = params.clip
        self._nets = opponent_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        to_nets = self._nets - state.ball_position[:, None]
        speeds = component(state.ball_velocity[:, None], to_nets)
        speeds /= BALL_MAX_SPEED
        if self._clip:
            np.maximum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)


class BasicShot(VelocityBallToGoal):
    """`velocity_ball_to_goal` for the car that touched the ball last, else 0: −1..1."""

    category = "goal"
    sign = 0

    def value(self, state: GameState) -> Float:
        speeds = super().value(state)
        speeds *= state.last_toucher[:, None] == np.arange(state.cars)
        return speeds
