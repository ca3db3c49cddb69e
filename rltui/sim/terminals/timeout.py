"""`timeout`: the episode has lasted long enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from rltui.sim.state import Bool, GameState
from rltui.sim.terminals.terminal import Terminal, ticks


class Timeout(Terminal):
    """Truncates when the episode has lasted this long (RLGym: TimeoutCondition)."""

    truncates: ClassVar[bool] = True

    @dataclass(frozen=True)
    class Params(Terminal.Params):
        seconds: float = field(
            default=300.0, metadata={"doc": "Length of an episode.", "unit": "s", "min": 0.1, "max": 86400.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._ticks = ticks(params.seconds)

    def done(self, state: GameState) -> Bool:
        return state.tick >= self._ticks
