"""`align_ball_goal`: standing where a hit goes to the right net (RLGym 1: AlignBallGoal)."""

from __future__ import annotations

from rltui.rewards.alive import alive
from rltui.rewards.geometry import cosine
from rltui.rewards.nets import NetParams, opponent_nets, own_nets
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class AlignBallGoal(Reward):
    """½ cos(ball − car, car − own net) + ½ cos(ball − car, opponents' net − car): −1..1; 0 for a demolished car.

    1: the car is on the line from its own net through the ball to the other net, behind the ball.
    """

    category = "positioning"
    sign = 0

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._own, self._opponents = own_nets(params.target_z), opponent_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        to_ball = state.ball_position[:, None] - state.position
        values = cosine(to_ball, state.position - self._own[state.team])
        values += cosine(to_ball, self._opponents[state.team] - state.position)
        values *= 0.5
        values *= alive(state)
        return values
