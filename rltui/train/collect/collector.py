"""Collector of rollouts: the interface, and the serial one, with all actors in this process.

Random numbers are keyed by (seed, timesteps at the start, worker, restarts), and each worker's arithmetic has the same
shapes in either collector, so that both give the same bits, as far as two SoccarBatches do (with one car a team): tests
and the debugger trust the serial one.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from rltui.events.commands import WorkerLive
from rltui.events.records import Record
from rltui.formatting import MEGABYTE
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.policy.saved import SavedPolicy
from rltui.train.collect.debug_output import publish_lines
from rltui.train.collect.messages import Configure, RolloutDone
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.collect.worker import Actor, ActorSpec


@dataclass(frozen=True)
class Collected:
    """One iteration's experience: views into shared memory, and what each worker reported (None: dropped)."""

    rollout: Rollout
    reports: list[RolloutDone | None]

    @property
    def rows(self) -> int:
        """Timesteps learned from, those of dropped workers left out."""
        return self.rollout.rows


class Collector(ABC):
    """Fills one block of the SharedRollout with the weights that are in it."""

    def __init__(self, shared: SharedRollout) -> None:
        self.shared = shared

    def set_policy(self, learner: PPOLearner) -> None:
        """Collect with its weights of now."""
        self.shared.weights[:] = learner.policy_flat()

    def load_opponents(self, opponents: Mapping[int, SavedPolicy]) -> None:
        """Evaluate these, by number, in the place of the workers. Only where `evaluates_opponents`."""
        raise NotImplementedError

    @property
    def evaluates_opponents(self) -> bool:
        """Whether frozen opponents of the learner's own game and net are evaluated here, not by the workers."""
        return False

    @abstractmethod
    def start(self, poll: Callable[[], None]) -> None:
        """Make the actors ready, polling meanwhile. RltuiError says what failed, and nothing is left running."""

    @abstractmethod
    def fill(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        """Run one rollout of every worker, after so many timesteps of training; `poll` is called often and may raise to
        abandon.
        """

    @abstractmethod
    def configure(self, worker: int, settings: Configure) -> None:
        """Send a worker its settings; one that takes its place gets the same before it collects."""

    @abstractmethod
    def receive(self) -> None:
        """Handle the messages that the workers have sent meanwhile, without waiting."""

    @abstractmethod
    def applied(self, worker: int) -> int:
        """The number of the newest settings that are in force in this worker; 0: none."""

    @abstractmethod
    def live(self) -> list[WorkerLive]:
        """The workers as they are now."""

    @abstractmethod
    def close(self) -> None:
        """End the workers; the shared memory stays its owner's."""

    @abstractmethod
    def kill(self) -> None:
        """End the workers at once, whatever they are doing."""

    def collect(self, block: int, timesteps: int, poll: Callable[[], None]) -> Collected:
        """Fill the block and show it as one rollout. Collects again while no worker brought anything."""
        reports = self.fill(block, timesteps, poll)
        while not any(reports):
            reports = self.fill(block, timesteps, poll)
        return Collected(_rollout(self.shared, block, reports), reports)

    def progress(self) -> float:
        """0–1 of the running rollouts together."""
        shape = self.shared.shape
        return min(1.0, float(self.shared.steps_done.sum()) / (shape.workers * shape.steps))

    def _worker_live(self, worker: int, newest: RolloutDone | None, *, state: str, pid: int | None) -> WorkerLive:
        """newest: its newest whole rollout. Heartbeat and restarts are those of a worker that is no process of its own."""
        shape = self.shared.shape
        return WorkerLive(
            worker=worker,
            state=state,
            pid=pid,
            steps_per_second=newest.steps * shape.learners / newest.seconds if newest else None,
            arenas=shape.arenas,
            memory_mb=newest.memory / MEGABYTE if newest else None,
            heartbeat_age=None,
            restarts=0,
            progress=min(1.0, float(self.shared.steps_done[worker]) / shape.steps),
        )


class SerialCollector(Collector):
    """All actors in this process, one after another: slow, and easy to step through."""

    def __init__(
        self, actor: ActorSpec, shared: SharedRollout, publish: Callable[[Record], None] = lambda record: None
    ) -> None:
        super().__init__(shared)
        self._spec, self._publish = actor, publish
        self._actors: list[Actor] = []
        self._settings = [Configure(0) for _ in range(shared.shape.workers)]
        self._newest: list[RolloutDone | None] = [None] * shared.shape.workers

    def start(self, poll: Callable[[], None]) -> None:
        for index in range(self.shared.shape.workers):
            spec = replace(self._spec, seed=(*self._spec.seed, index, 0))
            say = partial(publish_lines, self._publish, index)
            actor = Actor(spec, self.shared.arena_cursor[index : index + 1], say)
            actor.configure(self._settings[index])
            self._actors.append(actor)

    def configure(self, worker: int, settings: Configure) -> None:
        self._settings[worker] = settings
        if self._actors:
            self._actors[worker].configure(settings)

    def receive(self) -> None:
        pass  # its actors publish their lines themselves

    def applied(self, worker: int) -> int:
        return self._settings[worker].number if self._actors else 0

    def fill(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        self.shared.steps_done[:] = 0
        for index, actor in enumerate(self._actors):

            def on_step(t: int, index: int = index) -> None:
                self.shared.heartbeat[index] = time.monotonic()
                self.shared.steps_done[index] = t
                poll()

            views = self.shared.worker_block(block, index)
            self._newest[index] = done = actor.rollout(views, self.shared.weights, timesteps, on_step)
            self.shared.steps_done[index] = done.steps
        return list(self._newest)

    def live(self) -> list[WorkerLive]:
        return [
            self._worker_live(index, newest, state="in the trainer", pid=os.getpid())
            for index, newest in enumerate(self._newest)
        ]

    def close(self) -> None:
        self._actors.clear()

    def kill(self) -> None:
        self._actors.clear()


def _rollout(shared: SharedRollout, block: int, reports: list[RolloutDone | None]) -> Rollout:
    """The block as one rollout, as long as its longest worker's, of which only what each has gone is learned from; the cut
    episodes of dropped workers are left out.
    """
    arrays, shape = shared.block(block), shared.shape
    steps = max(report.steps for report in reports if report)
    gone = np.array([report.steps if report else steps for report in reports])
    index, obs = [], []
    for worker, report in enumerate(reports):
        count = int(arrays["final_count"][worker]) if report else 0
        index.append(arrays["final_index"][worker, :count] + worker * steps * shape.agents)
        obs.append(arrays["final_obs"][worker, :count])
    valid = np.array([report is not None for report in reports])
    learn = (arrays["player"][:, :steps] == 0) | ~valid[:, None, None]  # of the dropped it does not matter
    if (gone < steps).any():
        learn &= (np.arange(steps) < gone[:, None])[..., None]
    return Rollout(
        obs=arrays["obs"][:, : steps + 1],
        actions=arrays["actions"][:, :steps],
        log_probs=arrays["log_probs"][:, :steps],
        rewards=arrays["rewards"][:, :steps],
        terminated=arrays["terminated"][:, :steps],
        truncated=arrays["truncated"][:, :steps],
        final_obs=np.concatenate(obs),
        final_index=np.concatenate(index),
        valid=valid,
        legality=arrays["legality"][:, : steps + 1],
        cars=shape.cars,
        learn=None if learn.all() else learn,
    )
