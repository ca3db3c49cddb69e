"""Rollout: arrays of one iteration, and checks that they are finite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rltui.actions.spec import ActionSpec

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]
Int = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass
class Rollout:
    """W workers, T steps, A agents of each worker (arenas × cars), D numbers an observation. Arrays in C order."""

    obs: Float  # [W, T + 1, A, D]; row T is the observation after the last step
    actions: NDArray[Any]  # [W, T, A, …], dtype and shape of an action as its ActionSpec says
    log_probs: Float  # [W, T, A] of the actions, in nats, under the policy that collected
    rewards: Float  # [W, T, A]
    terminated: Bool  # [W, T, A]
    truncated: Bool  # [W, T, A]; where both are set, terminated wins
    final_obs: Float  # [F, D] the true last observation of truncated episodes, before the reset …
    final_index: Int  # [F] … and its step, as a flat index into [W, T, A]
    valid: Bool  # [W] False: the worker died, its data is dropped
    legality: NDArray[np.uint8] | None = None  # [W, T + 1, A] class of each observation; None: nothing is masked
    cars: int = 1  # of an arena, the learner's or a frozen opponent's: agent = arena · cars + car. For naming the source of a fault
    # [W, T, A] False: somebody else played the car, or the worker did not go so far: its numbers count nowhere. None: all True
    learn: Bool | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """W, T, A."""
        w, t, a = self.actions.shape[:3]
        return w, t, a

    @property
    def used(self) -> Bool:
        """Which timesteps are learned from, what spreads to [W, T, A]: the learner's own, of valid workers."""
        if self.learn is not None and self.valid.all():
            return self.learn
        valid = self.valid[:, None, None]
        return valid if self.learn is None else valid & self.learn

    @property
    def rows(self) -> int:
        """How many timesteps are learned from."""
        return int(np.broadcast_to(self.used, self.shape).sum())

    def learned(self, array: NDArray[Scalar]) -> NDArray[Scalar]:
        """What of an array [W, T, A, …] is learned from, [R, …] in order; without a copy where all of it is."""
        if self.learn is None and self.valid.all():
            return array.reshape(-1, *array.shape[3:])
        return array[np.broadcast_to(self.used, self.shape)]

    @property
    def seen(self) -> Bool | None:
        """Which observations [W, T + 1, A] are needed: of timesteps learned from, and of what follows one whose episode goes
        on. None: all. Of a `learners_part`.
        """
        if self.learn is None:
            return None
        follows = self.learn & ~self.terminated
        follows.reshape(-1)[self.final_index] = False  # what follows is its final observation
        follows[:, -1] = self.learn[:, -1]
        return np.pad(self.learn, ((0, 0), (0, 1), (0, 0))) | np.pad(follows, ((0, 0), (1, 0), (0, 0)))

    def where(self, worker: int, step: int, agent: int) -> str:
        """The place in words: worker, arena, car, step."""
        arena, car = divmod(int(agent), self.cars)
        return f"worker {worker}, arena {arena}, car {car}, step {step}"

    def learners_part(self) -> Rollout:
        """The same, with nothing left in timesteps that are not learned from: this rollout itself where all are.

        Where another player takes over in the middle of an episode, or a worker ends, the learner's is cut: what it sees then
        is the true next observation, as at the end of the rollout.
        """
        if self.learn is None:
            return self
        taken_over = self.learn.copy()
        taken_over[:, :-1] &= ~self.learn[:, 1:]
        taken_over[:, -1] = False
        finals = self.learn.reshape(-1)[self.final_index]
        return replace(
            self,
            log_probs=np.where(self.learn, self.log_probs, np.float32(0)),
            rewards=np.where(self.learn, self.rewards, np.float32(0)),
            truncated=self.truncated | taken_over,
            final_obs=self.final_obs[finals],
            final_index=self.final_index[finals],
        )

    def without_invalid(self) -> Rollout:
        """The valid workers' part: this rollout itself where all are valid, else a copy with its indices moved."""
        if self.valid.all():
            return self
        _, steps, agents = self.shape
        valid = self.valid
        worker, rest = np.divmod(self.final_index, steps * agents)
        finals = valid[worker]
        return Rollout(
            obs=self.obs[valid],
            actions=self.actions[valid],
            log_probs=self.log_probs[valid],
            rewards=self.rewards[valid],
            terminated=self.terminated[valid],
            truncated=self.truncated[valid],
            final_obs=self.final_obs[finals],
            final_index=((np.cumsum(valid) - 1)[worker] * steps * agents + rest)[finals],
            valid=self.valid[valid],
            legality=None if self.legality is None else self.legality[valid],
            cars=self.cars,
            learn=None if self.learn is None else self.learn[valid],
        )

    def check(self, obs_size: int, spec: ActionSpec) -> None:
        """Raises ValueError where the arrays do not fit each other or the networks, or an action is none of the spec's or
        not legal in its class.
        """
        w, t, a = self.shape
        finals = len(self.final_index)
        expected = {"obs": (w, t + 1, a, obs_size), "final_obs": (finals, obs_size), "valid": (w,)}
        expected |= dict.fromkeys(("log_probs", "rewards", "terminated", "truncated"), (w, t, a))
        expected |= {"actions": (w, t, a, *spec.shape)} | ({} if self.learn is None else {"learn": (w, t, a)})
        for name, shape in expected.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"rollout.{name}: expected {list(shape)}, found {list(getattr(self, name).shape)}")
        self._check_actions(spec)
        if spec.masks is not None:
            self._check_legality(spec)
        self._check_finals()

    def _check_actions(self, spec: ActionSpec) -> None:
        bad = ~spec.known(self.actions) & self.used
        if bad.any():
            worker, step, agent = np.argwhere(bad)[0]
            action = self.actions[worker, step, agent]
            raise ValueError(f"action {action} of {self.where(worker, step, agent)} is not in {spec.allowed}")

    def _check_legality(self, spec: ActionSpec) -> None:
        """A log-probability under another mask than the one that it was sampled with would be wrong without a sign."""
        w, t, a = self.shape
        found = None if self.legality is None else list(self.legality.shape)
        if self.legality is None or found != [w, t + 1, a]:
            raise ValueError(f"rollout.legality: expected {[w, t + 1, a]} where rows are masked, found {found}")
        classes = self.legality[:, :-1]
        known = np.isfinite(self.log_probs)  # a choice from numbers that are not finite is the guard's to name
        illegal = ~spec.legal(self.actions, classes) & known & self.used
        if illegal.any():
            worker, step, agent = place = tuple(np.argwhere(illegal)[0])
            where = self.where(worker, step, agent)
            raise ValueError(f"action {self.actions[place]} of {where} is not legal in its class {classes[place]}")

    def _check_finals(self) -> None:
        """A truncated step without its own final observation would be bootstrapped from the next episode."""
        missing = self.truncated & ~self.terminated & self.used
        if len(self.final_index) and not (self.final_index.min() >= 0 and self.final_index.max() < missing.size):
            raise ValueError(f"rollout.final_index is not within 0 … {missing.size - 1}")
        missing.reshape(-1)[self.final_index] = False
        if missing.any():
            raise ValueError(f"no final observation for the truncated {self.where(*np.argwhere(missing)[0])}")


class NonFiniteError(Exception):
    """Something is not finite; the message names it. Raised and caught within `learn`: it drops the update."""


def check_rollout(rollout: Rollout, *, obs_finite: bool = False) -> None:
    """Raises NonFiniteError for the first number of the valid workers that is not finite, with its place.

    Of a `learners_part`, whose other numbers are looked at by nobody. obs_finite: the observations are known to be, which
    saves most of the work.
    """
    seen = None if obs_finite else rollout.seen
    for worker in np.flatnonzero(rollout.valid):
        _check(rollout, "reward", rollout.rewards[worker], worker)
        obs = rollout.obs[worker]
        fine = np.array(True) if obs_finite else np.isfinite(obs)
        if not obs_finite and seen is not None:
            fine |= ~seen[worker][..., None]
        if not fine.all():
            step, agent, index = np.argwhere(~fine)[0]
            place = rollout.where(worker, step, agent)
            raise NonFiniteError(f"observation index {index} is {obs[step, agent, index]}: {place}")
        _check(rollout, "log-probability", rollout.log_probs[worker], worker)  # after what it was made from
    _check_final_obs(rollout)


def _check(rollout: Rollout, name: str, numbers: NDArray[np.float32], worker: int) -> None:
    """numbers: [T, A] of this worker."""
    if not np.isfinite(numbers).all():
        step, agent = np.argwhere(~np.isfinite(numbers))[0]
        raise NonFiniteError(f"{name} {numbers[step, agent]} of {rollout.where(worker, step, agent)}")


def _check_final_obs(rollout: Rollout) -> None:
    workers, steps, agents = rollout.shape
    bad = ~np.isfinite(rollout.final_obs)
    bad &= rollout.valid[rollout.final_index // (steps * agents)][:, None]
    if bad.any():
        row, index = np.argwhere(bad)[0]
        place = rollout.where(*(int(i) for i in np.unravel_index(rollout.final_index[row], (workers, steps, agents))))
        raise NonFiniteError(f"final observation index {index} is {rollout.final_obs[row, index]}: {place}")


def check_values(values: NDArray[np.float32], rollout: Rollout) -> None:
    """Raises NonFiniteError where the critic's values [W, T + 1, A] are not finite although the observations are."""
    if not np.isfinite(values).all():
        worker, step, agent = np.argwhere(~np.isfinite(values))[0]
        raise NonFiniteError(f"critic's value {values[worker, step, agent]} of {rollout.where(worker, step, agent)}")
