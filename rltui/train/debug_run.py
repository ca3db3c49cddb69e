"""What `rltui train --debug` adds to a run: all flags on, and a second iteration that begins on the roof."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rltui.events.commands import FLAGS, DebugFlag
from rltui.train.orders import Orders

TURTLED: DebugFlag = "debug_turtled_start"
OTHERS = tuple(flag for flag in FLAGS if flag != TURTLED)


class DebugRun:
    """Sets the flags that anybody may set while a run goes on. Every change begins with new episodes everywhere."""

    def __init__(self, orders: Orders, say: Callable[[str, Iterable[str]], None]) -> None:
        """say(flag, lines): what the trainer itself has to tell."""
        self._orders, self._say = orders, say
        self._iterations = 0

    def before(self) -> None:
        """An iteration begins."""
        self._iterations += 1
        if self._iterations == 1:
            self._orders.set_flags(OTHERS, on=True, anew=True)
        elif self._iterations == 2:
            self._say(TURTLED, ["iteration 2: every episode begins turtled, whatever the profile says"])
            self._orders.set_flags([TURTLED], on=True, anew=True)
        elif self._iterations == 3:
            self._say(TURTLED, ["over: episodes begin as the profile says"])
            self._orders.set_flags([TURTLED], on=False, anew=True)
