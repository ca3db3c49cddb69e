"""Rewards for touches, possession and the ball's velocity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.field import BALL_MAX_SPEED, CEILING_Z, TICKS_PER_SECOND
from rltui.rewards.base import ArenaMemory, Reward, off_the_ground
from rltui.rewards.geometry import NetParams, component, opponent_nets, own_nets
from rltui.sim.state import Bool, Float, GameState

WINDOW = 6.0  # seconds since the jump
LONG_AGO = -1e9  # seconds


class Touch(Reward):
    """1 on a step in which this car touched the ball at least once, else 0 (RLGym: TouchReward)."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return (state.touches > 0).astype(np.float32)


class StrongHit(Reward):
    """On a touch by this car: sqrt(min(Δv / full_hit_speed, 1)), else 0.

    Δv is the length of the change of ball velocity over the step, whoever caused it.
    """

    category = "ball"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        full_hit_speed: float = field(
            default=2300.0,
            metadata={"doc": "Change of ball velocity that pays 1.", "unit": "uu/s", "min": 1.0, "max": 12000.0},
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._full_hit_speed = params.full_hit_speed
        self._ball_velocity = ArenaMemory()  # [K, 3] at the end of the last step

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._ball_velocity.begin(arenas, state.ball_velocity)

    def value(self, state: GameState) -> Float:
        before = self._ball_velocity.values
        change = state.ball_velocity - before
        np.copyto(before, state.ball_velocity)
        strength = np.sqrt(np.einsum("ki,ki->k", change, change)) / self._full_hit_speed
        paid = np.sqrt(np.minimum(strength, 1.0))
        hits: Float = paid[:, None] * (state.touches > 0)
        return hits


class AirTouch(Reward):
    """On a touch while off the ground: height of the ball / 2044, else 0."""

    category = "aerial"
    sign = 1

    def value(self, state: GameState) -> Float:
        touched = off_the_ground(state)
        touched &= state.touches > 0
        heights: Float = touched * state.ball_position[:, 2:]
        heights /= CEILING_Z
        return heights


class JumpShot(Reward):
    """On a touch while off the ground within 6 s of this car's newest jump: height of the touched ball / 2044, else 0.

    The jump counts from its end, for while the button lifts the car it goes on.
    """

    category = "aerial"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._jumped = ArenaMemory(np.float64)  # [K, C] second of the episode at which the newest jump ended

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._jumped.begin(arenas, np.where(state.has_jumped, _jump_end(state), LONG_AGO))

    def value(self, state: GameState) -> Float:
        jumped = self._jumped.values
        np.copyto(jumped, _jump_end(state), where=state.has_jumped)
        recent = state.tick[:, None] / TICKS_PER_SECOND - jumped <= WINDOW
        recent &= state.touches > 0
        recent &= off_the_ground(state)
        heights: Float = recent * state.touch_height
        heights /= CEILING_Z
        return heights


def _jump_end(state: GameState) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """[K, C] second of the episode; only for cars that have jumped."""
    return state.tick[:, None] / TICKS_PER_SECOND - state.air_time_since_jump


class Possession(Reward):
    """1 to every car of the team that touched the ball last in the episode, else 0; nobody's before the first touch."""

    category = "ball"
    sign = 1

    def value(self, state: GameState) -> Float:
        owners = np.append(state.team_sign, np.float32(0.0)).take(state.last_toucher, mode="wrap")  # −1, nobody: the 0
        own: Bool = owners[:, None] == state.team_sign
        return own.astype(np.float32)


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


class Clear(Reward):
    """max(0, ball velocity · direction from the middle of the own back net to the ball) / 6000: 0..1."""

    category = "goal"
    sign = 1

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._nets = own_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        speeds = _away_from(self._nets, state)
        np.maximum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)


class NegativeVelocityOwnGoal(Reward):
    """−max(0, ball velocity · direction from the ball to the middle of the own back net) / 6000: −1..0."""

    category = "penalties"
    sign = -1
    penalty = True

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._nets = own_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        speeds = _away_from(self._nets, state)
        np.minimum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)


def _away_from(nets: Float, state: GameState) -> Float:
    """[K, 2] speed of the ball away from each of two nets [2, 3], / 6000."""
    speeds = component(state.ball_velocity[:, None], state.ball_position[:, None] - nets)
    speeds /= BALL_MAX_SPEED
    return speeds
