"""What the trainer itself tells while debug flags are on: what was learned, what is to be saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rltui.events.records import Record
from rltui.formatting import state_name
from rltui.train.line_limit import LineLimit
from rltui.train.orders import Orders
from rltui.train.said_lines import tell_lines

LEARNING, CHECKPOINTS = "debug_learning", "debug_checkpoints"


class TrainerDebug:
    """Says nothing while its flags are off."""

    def __init__(self, orders: Orders, tell: Callable[[Record], None], lines_per_second: float) -> None:
        self._orders, self._tell, self._limit = orders, tell, LineLimit(lines_per_second)

    def learned(self, metrics: Mapping[str, float]) -> None:
        """debug_learning: every figure of the update. To be called after each."""
        self._limit.only(flag for flag in (LEARNING, CHECKPOINTS) if self._orders.is_on(flag))
        if self._orders.is_on(LEARNING):
            self.say(LEARNING, (f"{key} = {value:.6g}" for key, value in metrics.items()))

    def due(self, timesteps: int, due: Iterable[tuple[str, str]]) -> None:
        """debug_checkpoints: what is to be saved after an iteration."""
        if self._orders.is_on(CHECKPOINTS):
            what = ", ".join(state_name(kind, label) for kind, label in due) or "nothing"
            self.say(CHECKPOINTS, [f"due at {timesteps:,} timesteps: {what}"])

    def say(self, flag: str, lines: Iterable[str]) -> None:
        """As far as the limit lets it."""
        tell_lines(self._tell, None, self._limit.taken([(flag, line) for line in lines]))
