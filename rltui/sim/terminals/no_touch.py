"""`no_touch`: nobody has touched the ball for a while."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from rltui.sim.state import Bool, GameState
from rltui.sim.terminals.terminal import Terminal, ticks


class NoTouch(Terminal):
    """Truncates when this long has passed since any car's last touch, or the reset (RLGym: NoTouchTimeoutCondition)."""

    truncates: ClassVar[bool] = True

    @dataclass(frozen=True)
    class Params(Terminal.Params):
        seconds: float = field(
            default=15.0, metadata={"doc": "Time without a touch.", "unit": "s", "min": 0.1, "max": 3600.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._ticks = ticks(params.seconds)

    def done(self, state: GameState) -> Bool:
        return state.tick - state.last_touch_tick >= self._ticks
