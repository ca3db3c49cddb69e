"""Guard against updates that are not finite."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rltui.learn.rollout import Rollout


class NonFiniteError(Exception):
    """Something is not finite; the message names it. Raised and caught within `learn`: it drops the update."""


def check_rollout(rollout: Rollout) -> None:
    """Raises NonFiniteError for the first number of the valid workers that is not finite, with its place."""
    for worker in np.flatnonzero(rollout.valid):
        _check(rollout, "reward", rollout.rewards[worker], worker)
        obs = rollout.obs[worker]
        if not np.isfinite(obs).all():
            step, agent, index = np.argwhere(~np.isfinite(obs))[0]
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
