"""Since: what happened since a player last chose, where the arena itself tells what happened in each tick."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rltui.sim.state import Float, GameState

FLAGS = ("shots", "saves", "demos", "demoed")


class Since:
    """`state` is the arena's own, but for events: those of the whole step, as the player was trained to see them."""

    def __init__(self, state: GameState, previous_actions: Float) -> None:
        """previous_actions: [1, C, 8], kept current by their owner."""
        self._tick = state
        self.state = replace(
            state,
            previous_actions=previous_actions,
            touches=np.zeros_like(state.touches),
            touch_height=np.zeros_like(state.touch_height),
            pad_picked=np.full_like(state.pad_picked, -1),
            boost_gained=np.zeros_like(state.boost_gained),
            **{name: np.zeros_like(getattr(state, name)) for name in FLAGS},
        )

    def add(self) -> None:
        """A tick has been played and read."""
        tick, step = self._tick, self.state
        step.touches += tick.touches
        np.copyto(step.touch_height, tick.touch_height, where=tick.touches > 0)
        np.copyto(step.pad_picked, tick.pad_picked, where=tick.pad_picked >= 0)
        step.boost_gained += tick.boost_gained
        for name in FLAGS:
            getattr(step, name).__ior__(getattr(tick, name))

    def clear(self) -> None:
        """The player has chosen."""
        step = self.state
        for array in (step.touches, step.touch_height, step.boost_gained, *(getattr(step, name) for name in FLAGS)):
            array.fill(0)
        step.pad_picked.fill(-1)
