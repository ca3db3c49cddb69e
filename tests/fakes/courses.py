"""A course without workers, for what needs to know only what is learned now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from rltui.learn.ppo import PPOLearner
from rltui.train.active_task import ActiveTask
from rltui.train.collect.collector import Collector
from rltui.train.config import ResolvedConfig
from rltui.train.setup import StartContext


class NoCollector:
    """Collects nothing; counts its starts and ends."""

    def __init__(self, blueprint: ResolvedConfig) -> None:
        shape = blueprint.shape
        self.shared = SimpleNamespace(shape=shape, weights=np.zeros(shape.parameters, np.float32))
        self.blueprint = blueprint
        self.started = self.closed = 0

    def start(self, poll: Any) -> None:
        self.started += 1

    def close(self) -> None:
        self.closed += 1

    def live(self) -> list[Any]:
        return []

    def progress(self) -> float:
        return 0.0


def course(prepared: StartContext, learner: PPOLearner | None = None, collector: Any = None) -> ActiveTask:
    """collector: used for every lesson; without it each gets one that collects nothing."""

    def open_collector(blueprint: ResolvedConfig, timesteps: int) -> Collector:
        return cast(Collector, collector or NoCollector(blueprint))

    return ActiveTask(prepared, learner or prepared.blueprint.learner(), open_collector)
