"""KickoffTouches: in how many kickoffs the learners get to the ball within ten seconds. A first sign of skill."""

from __future__ import annotations

from collections import deque

import numpy as np

from rltui.sim.field import TICKS_PER_SECOND
from rltui.sim.state import GameState, Int

IN_TIME = 10 * TICKS_PER_SECOND


class KickoffTouches:
    """Counts for K arenas, in which the first `cars` cars learn. A kickoff is decided by a touch of one of them, when the
    time is over, or when its episode ends; those decided count.
    """

    def __init__(self, state: GameState, cars: int, tick_skip: int) -> None:
        """state: the one that every step is read into."""
        self._kickoff, self._touches = state.kickoff, state.touches[:, :cars]
        self._tick_skip, self._step = tick_skip, 0
        self._open: dict[int, int] = {}  # step at which the undecided kickoff of each arena began
        self._due: deque[tuple[int, int]] = deque()  # every kickoff, oldest first: step, arena; decided ones too
        self.clear()

    def clear(self) -> None:
        """Begin at 0; kickoffs that are being played stay open."""
        self.decided = self.touched = 0

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        for arena in arenas[self._kickoff[arenas]].tolist():
            self._open[arena] = self._step
            self._due.append((self._step, arena))

    def step(self) -> None:
        """Count one step."""
        self._step += 1
        if not self._open:
            return
        if np.count_nonzero(self._touches):
            for arena in self._touches.nonzero()[0].tolist():
                self.touched += self._decide(arena)
        while self._due and (self._step - self._due[0][0]) * self._tick_skip >= IN_TIME:
            began, arena = self._due.popleft()
            if self._open.get(arena) == began:
                self._decide(arena)

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended."""
        for arena in arenas.tolist():
            self._decide(arena)

    def _decide(self, arena: int) -> bool:
        """Whether it was open."""
        was_open = self._open.pop(arena, None) is not None
        self.decided += was_open
        return was_open
