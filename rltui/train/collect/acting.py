"""Policy of an actor: in the worker itself (NumPy), or asked of the trainer, which evaluates one batch for many workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rltui.actions.spec import ActionSpec
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.weights import Float

SPINS = 200  # looks at an answer before the processor is given away, some 20 µs
NAP, LONGEST_NAP = 5e-5, 0.01  # seconds between looks after that: at first, and in a pause
LONGER = 1.02  # each nap than the one before: late by a fiftieth of the wait at most

Block = dict[str, NDArray[Any]]  # SharedRollout.worker_block
Agents = Sequence[slice]  # of each part of the arenas


class Policy(Protocol):
    """Fills in the actions of a worker block, part of its arenas by part."""

    def begin(self, block: Block, weights: Float) -> None:
        """A rollout begins: into this block, with these weights."""

    def seen(self, part: int, t: int) -> None:
        """obs[t] and legality[t] of the part's agents have been written."""

    def begins(self, t: int) -> bool:
        """Return once step t may begin; False where the rollout ends before it."""

    def act(self, part: int, t: int) -> None:
        """Return once actions[t] and log_probs[t] of the part's agents have been written."""


class LocalPolicy:
    """DiscretePolicy with noise of its own. Where an opponent plays nothing is chosen: action and log-probability are 0."""

    def __init__(
        self, sizes: Sequence[int], agents: Agents, actions: ActionSpec, normalize: bool, noise: GumbelBank
    ) -> None:
        most = max(part.stop - part.start for part in agents)
        self._policy, self._noise = DiscretePolicy(sizes, most, actions, normalize), noise
        self._agents, self._masked = agents, actions.masks is not None

    def begin(self, block: Block, weights: Float) -> None:
        self._policy.set_weights(weights)
        self._views = [
            tuple(block[name][:, part] for name in ("obs", "actions", "log_probs", "legality", "player"))
            for part in self._agents
        ]

    def seen(self, part: int, t: int) -> None:
        pass

    def begins(self, t: int) -> bool:
        return True

    def act(self, part: int, t: int) -> None:
        obs, actions, log_probs, classes, player = (view[t] for view in self._views[part])
        mine = np.flatnonzero(player == 0)
        if len(mine) == len(player):
            self._policy.act(obs, self._noise, actions, log_probs, classes if self._masked else None)
            return
        chosen, chances = np.empty(len(mine), actions.dtype), np.empty(len(mine), log_probs.dtype)
        self._policy.act(obs[mine], self._noise, chosen, chances, classes[mine] if self._masked else None)
        actions.fill(0)
        log_probs.fill(0)
        actions[mine], log_probs[mine] = chosen, chances


class AskedPolicy:
    """The trainer's: two counters a part in shared memory say which steps are asked for and which are answered. A step whose
    first part it has answered is gone to its end.
    """

    def __init__(
        self,
        asked: NDArray[np.int64],
        answered: NDArray[np.int64],
        all_begun: NDArray[np.bool_],
        look: Callable[[], None],
    ) -> None:
        """asked, answered: steps of the running rollout, [parts]. all_begun: [1] that it answers no first part any more, but of
        the rollout's first step. look: called while waiting, and may raise.
        """
        self._asked, self._answered, self._all_begun, self._look = asked, answered, all_begun, look

    def begin(self, block: Block, weights: Float) -> None:
        pass

    def seen(self, part: int, t: int) -> None:
        self._asked[part] = t + 1

    def begins(self, t: int) -> bool:
        answered = self._answered
        for _ in self._polls():
            over = t > 0 and self._all_begun[0]  # looked at first: the newest answer came before it
            if answered[0] > t or over:
                break
        return bool(answered[0] > t)

    def act(self, part: int, t: int) -> None:
        answered = self._answered
        for _ in self._polls():
            if answered[part] > t:
                return

    def _polls(self) -> Iterator[None]:
        """Endless: spins for a while, then naps longer and longer in between."""
        yield from repeat(None, SPINS)
        nap = NAP
        while True:
            yield
            self._look()
            time.sleep(nap)
            nap = min(LONGER * nap, LONGEST_NAP)
