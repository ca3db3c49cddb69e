"""A user's reward that does something terrible, once, always or when it is asked to."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rltui.rewards.base import Reward
from rltui.sim.state import Float, GameState


class Faulty(Reward):
    """Pays nothing; at step `after` it raises, aborts, crashes or hangs, the first `times` times that any worker gets there. With
    `asked`, whoever finds that file takes it away and does what it says.
    """

    category = "events"
    sign = 0

    @dataclass(frozen=True)
    class Params(Reward.Params):
        action: str = "raise"
        after: int = 5
        times: int = 1
        marks: str = ""  # a folder in which each fault leaves a file, so that `times` holds over processes
        asked: str = ""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._steps = 0

    def value(self, state: GameState) -> Float:
        self._steps += 1
        if self.params.asked:
            with contextlib.suppress(FileNotFoundError):
                action = Path(self.params.asked).read_text(encoding="utf-8")
                Path(self.params.asked).unlink()
                _fail(action)
        elif self._steps == self.params.after and self._take_turn():
            _fail(self.params.action)
        return np.zeros((state.arenas, state.cars), np.float32)

    def _take_turn(self) -> bool:
        """Atomically take one of the `times` marks."""
        for number in range(self.params.times):
            try:
                os.close(os.open(Path(self.params.marks) / str(number), os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            return True
        return False


def _fail(action: str) -> None:
    match action:
        case "raise":
            raise ZeroDivisionError("a bug in a user's reward")
        case "abort":
            os.abort()
        case "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "bus":
            os.kill(os.getpid(), signal.SIGBUS)
        case "hang":
            while True:
                signal.pause()
        case "print":
            for _ in range(200):
                print("printed by a worker\n" * 1_000)
