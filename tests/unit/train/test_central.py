"""Which steps the central collector begins: those that are wanted, by whoever is ready."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.actions.spec import ActionSpec
from rltui.train.collect.acting import AskedPolicy
from rltui.train.collect.central import CentralCollector, CentralPolicies, _Asking, slots
from rltui.train.collect.shared_rollout import PARTS, RolloutShape, SharedRollout
from rltui.train.collect.worker_handle import WorkerHandle


class Player:
    """A worker that plays nothing, moved on by one wait at a time."""

    def __init__(self, shared: SharedRollout, index: int, parts: int) -> None:
        self._asked, self._answered = shared.asking(index)
        self._policy = AskedPolicy(self._asked, self._answered, shared.all_begun, lambda: None)
        self._shared, self._parts, self.steps, self._part, self.over = shared, parts, 0, 0, False
        self._asked[:parts] = 1

    def move(self) -> None:
        """If what it waits for is there."""
        most, t = self._shared.shape.most_steps, self.steps
        if self._answered[self._part] > t:
            assert self._part or self._policy.begins(t)
            if t + 1 < most:
                self._asked[self._part] = t + 2
            self._part = (self._part + 1) % self._parts
            self.steps += not self._part
            self.over = self.steps == most
        elif self._part == 0 and t and self._shared.all_begun[0]:
            self.over = not self._policy.begins(t)


def collector(shared: SharedRollout) -> CentralCollector:
    groups, rows = slots(shared.shape)
    policy = SimpleNamespace(
        obs=np.zeros((groups, rows, shared.shape.obs_size), np.float32),
        classes=np.zeros((groups, rows), np.uint8),
        actions=np.zeros((groups, rows), np.int64),
        log_probs=np.zeros((groups, rows), np.float32),
        act=lambda count: None,
    )
    policies = CentralPolicies(cast(Any, policy), lambda: cast(Any, policy))
    made = CentralCollector(cast(Any, None), shared, policies, 1.0, lambda record: None)
    made._handles = [WorkerHandle(state="collecting") for _ in range(shared.shape.workers)]
    made._views = {
        worker * PARTS + part: _Asking.of(shared, 0, worker, agents)
        for worker in range(shared.shape.workers)
        for part, agents in enumerate(made._agents)
    }
    return made


@settings(max_examples=60)
@given(st.integers(2, 5), st.integers(1, 6), st.integers(1, 4), st.integers(1, 2), st.booleans(), st.integers(0, 999))
def test_the_workers_together_go_exactly_as_many_steps_as_are_wanted(
    workers: int, steps: int, slack: int, arenas: int, dies: bool, seed: int
) -> None:
    """However uneven they are; each has a step. One that dies is made up for as far as the others have room and still go on."""
    order = Random(seed)
    shape = RolloutShape(1, workers, steps, arenas, 1, 2, ActionSpec(3), 1, slack)
    shared = SharedRollout.create(shape)
    try:
        made = collector(shared)
        players = [Player(shared, index, arenas) for index in range(workers)]
        speeds = [order.choice((1, 5, 30)) for _ in players]
        dying = order.randrange(2 * steps) if dies else -1
        for moves in range(10_000):
            running = [player for player in players if not player.over]
            if not running:
                break
            made._serve()
            order.choices(players, speeds)[0].move()
            for player, handle in zip(players, made._handles, strict=True):
                handle.state = "waiting" if player.over else "collecting"
            if moves == dying and not players[0].over:
                players[0].over, players[0].steps = True, 0
                made._handles[0].state = "absent"
                for counts in shared.asking(0):
                    counts[:] = 0
        done = [player.steps for player in players]
        died = done[0] == 0
        assert not running and min(done[died:]) > 0
        assert made._all_answered()
        assert sum(done) <= shape.wanted if died else sum(done) == shape.wanted
        made._starter.close()
    finally:
        made._views.clear()
        shared.close()
