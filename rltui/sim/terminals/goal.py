"""`goal`: either team scored."""

from __future__ import annotations

from typing import ClassVar

from rltui.sim.state import Bool, GameState
from rltui.sim.terminals.terminal import Terminal


class Goal(Terminal):
    """Terminates when the ball's centre is past 5215.5 uu (RLGym: GoalCondition)."""

    truncates: ClassVar[bool] = False

    def done(self, state: GameState) -> Bool:
        scored: Bool = state.goal != 0
        return scored
