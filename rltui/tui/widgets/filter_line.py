"""FilterLine: where a list is filtered as one types; up and down move in what is left meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.widgets import Input

MOVES = {"up": -1, "down": 1}


class FilterLine(Input):
    """move: the list's cursor by so many rows."""

    def __init__(self, name: str, placeholder: str, move: Callable[[int], None]) -> None:
        super().__init__(id=name, compact=True, placeholder=placeholder)
        self._move = move

    def on_key(self, event: events.Key) -> None:
        if event.key in MOVES:
            self._move(MOVES[event.key])
            event.stop()
