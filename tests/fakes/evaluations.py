"""Games without games: the child of an evaluation, which tells what a test lets it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence

PROGRESS = {"games": 34, "of": 100, "share": 0.34, "seconds_left": 65.0}
SO_FAR = {"a": "x", "b": "y", "games": 34, "win_rate": 0.7, "interval": [0.5, 0.85], "better": None}
RESULT = {"a": "x", "b": "y", "games": 100, "win_rate": 0.62, "interval": [0.55, 0.69], "better": "a"}


class FakeEvaluations:
    """A program's `evaluator`: commands begun so far. go: lets the newest come to its result. last: what it says at its end."""

    def __init__(self, *last: str) -> None:
        self.commands: list[list[str]] = []
        self.go, self.finished, self.ended = threading.Event(), threading.Event(), threading.Event()
        self._last = last or (json.dumps(RESULT),)

    def __call__(self, command: Sequence[str]) -> FakeEvaluations:
        self.commands.append(list(command))
        self.go.clear()
        self.finished.clear()
        self.ended.clear()
        return self

    def lines(self) -> Iterator[bytes]:
        yield json.dumps(PROGRESS).encode() + b"\n"
        while not self.go.wait(0.01):
            if self.ended.is_set():
                return
            if self.finished.is_set():
                yield b"rltui: interrupted: 34 of 100 games are finished\n"
                yield json.dumps(SO_FAR).encode() + b"\n"
                return
        yield from (line.encode() for line in self._last)

    def finish(self) -> None:
        self.finished.set()

    def end(self) -> None:
        self.ended.set()
