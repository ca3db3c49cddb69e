"""`wavedash`: a flip that the ground stops at once, so that only its speed is left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.geometry import length
from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.controls import JUMP
from rltui.sim.state import Bool, Float, GameState


class Wavedash(Reward):
    """1 on the step in which three wheels land during a flip, `gain` uu/s or more faster than before the flip, else 0.

    A flip that begins and lands within one step shows in no state: it is one if the car had a flip, its jump button was
    pressed, it landed without a jump, and the speed is there.
    """

    category = "mechanics"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        gain: float = field(
            default=100.0, metadata={"doc": "Least speed gained.", "unit": "uu/s", "min": 1.0, "max": 2300.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._gain = params.gain
        self._standing = Memory(np.bool_)  # [K, C] at the last step, as the next two
        self._flipping = Memory(np.bool_)
        self._could_flip = Memory(np.bool_)
        self._speed = Memory()  # [K, C] uu/s, the last one without a flip

    def reset(self, state: GameState, arenas: Bool) -> None:
        here = alive(state)
        self._standing.begin(arenas, state.on_ground)
        self._flipping.begin(arenas, state.is_flipping & here)
        self._could_flip.begin(arenas, state.can_flip & here)
        self._speed.begin(arenas, length(state.velocity))

    def value(self, state: GameState) -> Float:
        here, speed = alive(state), length(state.velocity)
        pressed = self._could_flip.values & (state.previous_actions[..., JUMP] > 0) & ~state.has_jumped
        dashed = state.on_ground & here & ~self._standing.values & (self._flipping.values | pressed)
        dashed &= speed - self._speed.values >= self._gain
        np.copyto(self._standing.values, state.on_ground)
        np.logical_and(state.is_flipping, here, out=self._flipping.values)
        np.logical_and(state.can_flip, here, out=self._could_flip.values)
        np.copyto(self._speed.values, speed, where=~self._flipping.values)
        return dashed.astype(np.float32)
