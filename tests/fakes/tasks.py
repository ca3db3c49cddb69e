"""A task without workers, for what needs to know only what is learned now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from rltui.learn.ppo import PPOLearner
from rltui.train.active_task import ActiveTask
from rltui.train.collect.collector import Collector
from rltui.train.collect.messages import Configure
from rltui.train.config import ResolvedConfig
from rltui.train.setup import StartContext


class NoCollector:
    """Collects nothing; counts its starts and ends."""

    def __init__(self, config: ResolvedConfig) -> None:
        shape = config.shape
        self.shared = SimpleNamespace(shape=shape, weights=np.zeros(shape.parameters, np.float32))
        self.config = config
        self.started = self.closed = 0
        self.configured: list[Configure] = []

    def start(self, poll: Any) -> None:
        self.started += 1

    def configure(self, worker: int, settings: Configure) -> None:
        self.configured.append(settings)

    def receive(self) -> None:
        pass

    def applied(self, worker: int) -> int:
        return 0

    def close(self) -> None:
        self.closed += 1

    def live(self) -> list[Any]:
        return []

    def progress(self) -> float:
        return 0.0


def active_task(context: StartContext, learner: PPOLearner | None = None, collector: Any = None) -> ActiveTask:
    """collector: used for every task; without it each gets one that collects nothing."""

    def open_collector(config: ResolvedConfig, timesteps: int) -> Collector:
        return cast(Collector, collector or NoCollector(config))

    return ActiveTask(context, learner or context.config.learner(), open_collector)
