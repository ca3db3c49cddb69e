"""`velocity_ball_to_goal`: how fast the ball goes to the opponents' net."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.geometry import BACK_NET_Y, BALL_MAX_SPEED, NET_CENTRE_Z, component
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class VelocityBallToGoal(Reward):
    """Ball velocity · direction from the ball to the middle of the opponents' back net / 6000: −1..1."""

    category = "goal"
    sign = 0

    @dataclass(frozen=True)
    class Params(Reward.Params):
        clip: bool = field(default=False, metadata={"doc": "No penalty for a ball that goes away: at least 0."})
        target_z: float = field(
            default=NET_CENTRE_Z,
            metadata={"doc": "Height of the point aimed at.", "unit": "uu", "min": 0.0, "max": 642.775},
        )

        def __post_init__(self) -> None:
            if not isinstance(self.clip, bool):
                raise TypeError(f"clip must be true or false, found {self.clip!r}")

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._clip = params.clip
        z = params.target_z
        self._nets = np.array([[0.0, BACK_NET_Y, z], [0.0, -BACK_NET_Y, z]], dtype=np.float32)  # by attacking team

    def value(self, state: GameState) -> Float:
        to_nets = self._nets - state.ball_position[:, None]
        speeds = component(state.ball_velocity[:, None], to_nets)
        speeds /= BALL_MAX_SPEED
        if self._clip:
            np.maximum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)
