"""Shared-memory segment that holds every worker's rollout, the policy weights and the heartbeats.

Workers write their own slice in place and the learner reads the whole as one array: no copies, no pickles. Blocks form
a ring of iterations. Untouched pages cost nothing, so the final observations have room for the worst case; what a run will
touch is reserved.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rltui.actions.spec import ActionSpec
from rltui.supervise.shared_memory import ENLARGE, SharedBlock, check_free

ALIGN = 64  # bytes: a cache line
PARTS = 2  # of a worker's arenas where the trainer chooses the actions: one simulates while the other waits
FINAL = 16  # one in so many timesteps is the last of an episode that is cut, at most: more is not reserved
NEED, HINT = "rollouts need", f"lower ppo.iteration or ppo.buffer_iterations, or {ENLARGE}"


@dataclass(frozen=True)
class RolloutShape:
    """B blocks of W workers, each T steps of K arenas with C cars and D observation numbers; P policy parameters.

    slack: so many steps more than T a worker has room for. With any, the workers together have W · T in the end.
    frozen: of the cars, those that are always a frozen opponent's, and not learned from.
    """

    blocks: int
    workers: int
    steps: int
    arenas: int
    cars: int
    obs_size: int
    actions: ActionSpec
    parameters: int
    slack: int = 0
    frozen: int = 0

    @property
    def most_steps(self) -> int:
        """Steps that one worker may go in one iteration."""
        return self.steps + self.slack

    @property
    def wanted(self) -> int:
        """Steps of all workers together in one iteration."""
        return self.workers * self.steps

    @property
    def agents(self) -> int:
        """Cars of one worker."""
        return self.arenas * self.cars

    @property
    def learners(self) -> int:
        """Cars of one worker that are learned from: timesteps of a step."""
        return self.arenas * (self.cars - self.frozen)

    @property
    def rows(self) -> int:
        """Timesteps of one worker in one iteration; with slack, of the mean one."""
        return self.steps * self.learners

    def fields(self) -> dict[str, tuple[tuple[int, ...], DTypeLike]]:
        """Name → (shape, dtype) of each array of the segment."""
        b, w, t, a, d = self.blocks, self.workers, self.most_steps, self.agents, self.obs_size
        return {
            "weights": ((self.parameters,), np.float32),
            "heartbeat": ((w,), np.float64),  # time.monotonic() of the newest step
            "steps_done": ((w,), np.int64),  # steps of the running rollout; 0: no part of it
            "arena_cursor": ((w,), np.int64),  # the arena being simulated, for the report of a crash
            "asked": ((w * PARTS,), np.int64),  # steps of the running rollout whose actions a part has asked for …
            "answered": ((w * PARTS,), np.int64),  # … and has been given
            "all_begun": ((1,), np.bool_),  # all steps of the running rollout: who has finished its own ends
            "obs": ((b, w, t + 1, a, d), np.float32),
            "legality": ((b, w, t + 1, a), np.uint8),  # legality class that belongs to each observation
            "actions": ((b, w, t, a, *self.actions.shape), self.actions.dtype),
            "log_probs": ((b, w, t, a), np.float32),
            "rewards": ((b, w, t, a), np.float32),
            "terminated": ((b, w, t, a), np.bool_),
            "truncated": ((b, w, t, a), np.bool_),
            "player": ((b, w, t + 1, a), np.uint8),  # of the car from that observation on; 0: the learner, see StepOut
            "final_count": ((b, w), np.int64),
            "final_index": ((b, w, t * a), np.int64),  # flat in [T, A] of the worker
            "final_obs": ((b, w, t * a, d), np.float32),
        }

    def layout(self) -> tuple[dict[str, int], int]:
        """Offset of each array in bytes, and the size of the segment."""
        offsets, at = {}, 0
        for name, (shape, dtype) in self.fields().items():
            offsets[name] = at
            size = int(np.prod(shape)) * np.dtype(dtype).itemsize
            at += -(-size // ALIGN) * ALIGN
        return offsets, at

    def expected_parts(self) -> list[tuple[int, int]]:
        """(first, length) in bytes of what a run touches: all but most of the final observations, which lie last."""
        final = self.layout()[0]["final_obs"]
        rows, row = self.most_steps * self.agents, self.obs_size * 4
        used = -(-rows // FINAL)
        places = range(final, final + self.blocks * self.workers * rows * row, rows * row)
        return [(0, final), *((place, used * row) for place in places)]

    @property
    def expected_bytes(self) -> int:
        """What a run touches."""
        return sum(length for _, length in self.expected_parts())


class SharedRollout:
    """The arrays of the segment as attributes, named as in `RolloutShape.fields`."""

    def __init__(self, shape: RolloutShape, memory: SharedBlock) -> None:
        """memory: of `layout` bytes; what the creator has, or what a child was handed of it."""
        self.shape = shape
        self.memory = memory
        offsets, _ = shape.layout()
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.ndarray(dims, dtype, memory.buf, offsets[name]) for name, (dims, dtype) in shape.fields().items()
        }
        self.weights: NDArray[np.float32] = self._arrays["weights"]
        self.heartbeat: NDArray[np.float64] = self._arrays["heartbeat"]
        self.steps_done: NDArray[np.int64] = self._arrays["steps_done"]
        self.arena_cursor: NDArray[np.int64] = self._arrays["arena_cursor"]
        self.asked: NDArray[np.int64] = self._arrays["asked"]
        self.answered: NDArray[np.int64] = self._arrays["answered"]
        self.all_begun: NDArray[np.bool_] = self._arrays["all_begun"]

    @classmethod
    def create(cls, shape: RolloutShape) -> SharedRollout:
        """Raises RltuiError where shared memory has no room for what a run will touch."""
        return cls(shape, SharedBlock.create(shape.layout()[1], NEED, HINT, shape.expected_parts()))

    def block(self, block: int) -> dict[str, NDArray[Any]]:
        """The arrays of one iteration, without the leading block axis."""
        return {name: array[block] for name, array in self._arrays.items() if len(self.shape.fields()[name][0]) > 1}

    def worker_block(self, block: int, worker: int) -> dict[str, NDArray[Any]]:
        """One worker's slices of one iteration: obs [T+1, A, D], legality [T+1, A], actions [T, A] … final_obs [T·A, D], final_count []."""
        return {name: array[worker, ...] for name, array in self.block(block).items()}

    @property
    def begun(self) -> NDArray[np.int64]:
        """Steps of the running rollout that each worker has begun: those that its first part has actions for."""
        return self.answered[::PARTS]

    def asking(self, worker: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """One worker's `asked` and `answered`, int64 [PARTS] each."""
        own = slice(worker * PARTS, (worker + 1) * PARTS)
        return self.asked[own], self.answered[own]

    def close(self) -> None:
        """Release the segment."""
        self._arrays.clear()
        for name in ("weights", "heartbeat", "steps_done", "arena_cursor", "asked", "answered", "all_begun"):
            setattr(self, name, None)
        with contextlib.suppress(BufferError):  # a view is still held, as by the trace of the error that ends the run
            self.memory.close()


def check_room(shape: RolloutShape) -> None:
    """Raises RltuiError naming need and room when /dev/shm is too small now."""
    check_free(shape.expected_bytes, NEED, HINT)
