"""A collector whose workers apply their settings when a test says so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rltui.train.collect.messages import Configure


class PlayedWorkers:
    """Keeps what it sends to each worker; `received` counts how often it was asked for messages."""

    evaluates_opponents = False

    def __init__(self, count: int) -> None:
        self.shared = SimpleNamespace(shape=SimpleNamespace(workers=count))
        self.sent: dict[int, list[Configure]] = {index: [] for index in range(count)}
        self.received = 0
        self._applied = dict.fromkeys(range(count), 0)

    def configure(self, worker: int, settings: Configure) -> None:
        self.sent[worker].append(settings)

    def receive(self) -> None:
        self.received += 1

    def applied(self, worker: int) -> int:
        return self._applied[worker]

    def live(self) -> list[Any]:
        return []

    def progress(self) -> float:
        return 0.5

    def apply(self, *workers: int) -> None:
        for worker in workers:
            self._applied[worker] = self.sent[worker][-1].number
