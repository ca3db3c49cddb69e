"""Generalised advantage estimation (Schulman et al. 2016, arXiv:1506.02438) and discounted returns.

Arrays are time-major: [T, …], where everything behind the first axis (workers, agents) is a sequence of its own, so
nothing can leak between them. Within a sequence an episode's end cuts the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Steps:
    """What advantages are computed from; all [T, …]."""

    rewards: Float
    values: Float  # V(s_t)
    next_values: Float  # V of the true next state, also where the episode was truncated
    terminated: Bool
    truncated: Bool  # where both are set, terminated wins


def next_values(values: Float, truncated_at: tuple[NDArray[np.int64], ...], final_values: Float) -> Float:
    """V of each step's true next state, [T, …], from the values of all observations [T + 1, …].

    Row t + 1, except where an episode was truncated at t: there row t + 1 already belongs to the next episode, and
    final_values [F] holds V of the last observation before the reset. truncated_at: indices into [T, …], one array of
    F numbers an axis.
    """
    following = values[1:].copy()
    following[truncated_at] = final_values
    return following


def advantages(steps: Steps, gamma: float, gae_lambda: float) -> Float:
    """A_t = δ_t + γλ A_{t+1} within an episode, with δ_t = r_t + γ V(s_{t+1}) − V(s_t). [T, …]

    V(s_{t+1}) is 0 after a termination; after a truncation and at the last step it is the true next state's value.
    """
    ended = steps.terminated | steps.truncated
    following = np.where(steps.terminated, np.float32(0), steps.next_values)
    delta = steps.rewards + np.float32(gamma) * following - steps.values
    return _backward_sum(delta, np.where(ended, np.float32(0), np.float32(gamma * gae_lambda)))


def discounted_returns(rewards: Float, ended: Bool, gamma: float) -> Float:
    """G_t = r_t + γ G_{t+1} within an episode, 0 beyond the data (no bootstrap): what reward scaling looks at. [T, …]"""
    return _backward_sum(rewards, np.where(ended, np.float32(0), np.float32(gamma)))


def _backward_sum(terms: Float, keep: Float) -> Float:
    """x_t = terms_t + keep_t · x_{t+1}, from the last step back."""
    x = np.array(terms, np.float32)
    for t in range(len(x) - 2, -1, -1):
        x[t] += keep[t] * x[t + 1]
    return x
