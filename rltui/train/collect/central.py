"""Collector whose workers ask the trainer for their actions: one batch of the learner's device for all that are ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rltui.env.arena_groups import arena_parts
from rltui.events.records import Record
from rltui.learn.inference import BatchPolicy
from rltui.learn.ppo import PPOLearner
from rltui.policy.saved import SavedPolicy
from rltui.supervise.output_log import OutputLog
from rltui.train.collect.messages import RolloutDone
from rltui.train.collect.shared_rollout import PARTS, RolloutShape, SharedRollout
from rltui.train.collect.worker import ActorSpec, part_agents
from rltui.train.collect.worker_pool import LocalCollector

NAP = 2e-5  # seconds between looks at what is asked for, while nobody asks


class CentralCollector(LocalCollector):
    """Serves whatever parts of the workers have asked, never waiting for more: a slow worker delays nobody, and with slack
    (RolloutShape) as many steps are begun as all workers together are wanted to go, by whoever is ready.

    Each worker steps one part of its arenas while the other waits, so that a call that takes less than a step costs nothing.
    """

    def __init__(
        self,
        actor: ActorSpec,
        shared: SharedRollout,
        policies: CentralPolicies,
        timeout_s: float,
        publish: Callable[[Record], None],
        output: OutputLog | None = None,
    ) -> None:
        """actor: with `central`."""
        super().__init__(actor, shared, timeout_s, publish, output)
        self._policies, self._policy, self._agents = policies, policies.learners, _agents(shared.shape)
        self._opponents: dict[int, BatchPolicy] = {}  # by number
        self._player = np.zeros(slots(shared.shape), np.uint8)  # of the parts that are being answered
        self._views: dict[int, _Asking] = {}  # by place in `asked`
        self.served = self.calls = 0  # parts answered and batches evaluated in the newest rollouts

    def set_policy(self, learner: PPOLearner) -> None:
        learner.load_into(self._policy)

    @property
    def evaluates_opponents(self) -> bool:
        return True

    def load_opponents(self, opponents: Mapping[int, SavedPolicy]) -> None:
        for number, saved in opponents.items():
            if number not in self._opponents:
                self._opponents[number] = self._policies.another()
            self._opponents[number].load_layers(saved.layers, saved.normalizer)

    def fill(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        self._views = {
            worker * PARTS + part: _Asking.of(self.shared, block, worker, agents)
            for worker in range(self.shared.shape.workers)
            for part, agents in enumerate(self._agents)
        }
        self.served = self.calls = 0
        return super().fill(block, timesteps, poll)

    def _wait(self, seconds: float) -> None:
        """Serve for so long instead, or until no worker that collects will ask again."""
        deadline = time.monotonic() + seconds
        while any(handle.state == "collecting" for handle in self._handles) and time.monotonic() < deadline:
            if self._serve():
                continue
            if self._all_answered():
                break
            time.sleep(NAP)
        super()._wait(max(0.0, deadline - time.monotonic()))

    def _serve(self) -> bool:
        """Answer all that have asked, in one batch; whether anybody had."""
        answered, ready = self.shared.answered, self._within_wanted(self._asking())
        if not len(ready):
            return False
        policy, steps = self._policy, answered[ready].tolist()
        asking = [self._views[index] for index in ready.tolist()]
        for slot, (part, t) in enumerate(zip(asking, steps, strict=True)):
            policy.obs[slot, : part.rows] = part.obs[t]
            policy.classes[slot, : part.rows] = part.classes[t]
            self._player[slot, : part.rows], self._player[slot, part.rows :] = part.player[t], 0
        policy.act(len(asking))
        if self._opponents:
            self._play_opponents(self._player[: len(asking)])
        for slot, (part, t) in enumerate(zip(asking, steps, strict=True)):
            part.actions[t] = policy.actions[slot, : part.rows]
            part.log_probs[t] = policy.log_probs[slot, : part.rows]
        answered[ready] += 1
        self.served, self.calls = self.served + len(asking), self.calls + 1
        return True

    def _play_opponents(self, player: NDArray[np.uint8]) -> None:
        """Overwrite the learner's actions where an opponent plays. player: [slots, rows] of those that have asked."""
        mine = self._policy
        for number, policy in self._opponents.items():
            slots, rows = np.nonzero(player == number)
            if not len(slots):
                continue
            each = policy.obs.shape[1]
            policy.obs.reshape(-1, policy.obs.shape[2])[: len(slots)] = mine.obs[slots, rows]
            policy.classes.reshape(-1)[: len(slots)] = mine.classes[slots, rows]
            policy.act(-(-len(slots) // each))
            mine.actions[slots, rows] = policy.actions.reshape(-1, *policy.actions.shape[2:])[: len(slots)]

    def _asking(self) -> NDArray[np.int64]:
        """Places in `asked` of the parts that wait for an answer."""
        return np.flatnonzero(self.shared.asked > self.shared.answered)

    def _within_wanted(self, asking: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of these places, those whose answer begins no more steps than are wanted. Every worker has a step."""
        shared = self.shared
        if not shared.shape.slack:
            return asking
        begun = shared.begun
        left = shared.shape.wanted - int(begun.sum())
        if not begun.all():
            left -= sum(handle.state == "collecting" and not begun[index] for index, handle in enumerate(self._handles))
        shared.all_begun[0] = left <= 0
        begins = (asking % PARTS == 0) & (shared.answered[asking] > 0)
        granted: NDArray[np.int64] = asking[~begins | (np.cumsum(begins) <= left)]
        return granted

    def _all_answered(self) -> bool:
        """Whether every worker that collects has the actions of its last step."""
        shared = self.shared
        steps = shared.begun if shared.all_begun[0] else shared.shape.most_steps
        has = shared.answered.reshape(-1, PARTS)[:, : len(self._agents)].min(axis=1) >= np.maximum(steps, 1)
        return all(bool(has[index]) for index, handle in enumerate(self._handles) if handle.state == "collecting")


@dataclass(frozen=True)
class CentralPolicies:
    """The learner's policy for `slots(shape)`, and how another one of the same net is made, for opponents."""

    learners: BatchPolicy
    another: Callable[[], BatchPolicy]


@dataclass(frozen=True)
class _Asking:
    """What a part of a worker's arenas shares with the trainer: arrays over the steps of a rollout."""

    rows: int
    obs: NDArray[np.float32]
    classes: NDArray[np.uint8]
    actions: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    player: NDArray[np.uint8]

    @classmethod
    def of(cls, shared: SharedRollout, block: int, worker: int, agents: slice) -> _Asking:
        arrays = shared.worker_block(block, worker)
        names = ("obs", "legality", "actions", "log_probs", "player")
        return cls(agents.stop - agents.start, *(arrays[name][:, agents] for name in names))


def slots(shape: RolloutShape) -> tuple[int, int]:
    """Groups that can ask at once, and the most rows of one: what a BatchPolicy has to hold."""
    return shape.workers * PARTS, max(part.stop - part.start for part in _agents(shape))


def _agents(shape: RolloutShape) -> list[slice]:
    return part_agents(arena_parts(shape.arenas, min(PARTS, shape.arenas)), shape.cars)
