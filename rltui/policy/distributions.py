"""Distribution of actions, the interface in any arrays, and the categorical one in NumPy (in torch: learn/distributions)."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np

from rltui.actions.spec import Classes, Int
from rltui.policy.weights import Float

ILLEGAL = np.float32(-1e30)  # added to a logit: beyond what any other makes up for; its probability is exactly 0
Array = TypeVar("Array")


class Distribution(Protocol[Array]):
    """π(·|s) of N observations, from the [N, outputs] numbers that the policy's net gives for them; ActionSpec.kind says which."""

    def sample(self, noise: Array) -> Array:
        """An action for each, [N, *shape]: a function of noise [N, outputs], standard Gumbel where choices are discrete."""

    def log_prob(self, actions: Array) -> Array:
        """ln π(a|s) in nats, [N], of actions [N, *shape]."""

    def entropy(self) -> Array:
        """−Σ π ln π in nats, [N]."""


class Categorical:
    """Of rows of a table, by logits [n, m] in a buffer that others fill: made once, and good for whatever stands there.

    Works in arrays of its own, so that drawing allocates none where `out` is given.
    """

    def __init__(self, logits: Float) -> None:
        n, m = logits.shape
        self._logits, self._flat = logits, logits.reshape(-1)
        self._ones = np.ones(m, np.float32)
        self._work = np.empty((n, m), np.float32)
        self._chosen = np.empty((n, 1), np.float32)
        self._sums = np.empty(n, np.float32)
        self._index = np.empty(n, np.int64)
        self._row_start = np.arange(n, dtype=np.int64) * m

    def mask(self, penalties: Float, classes: Classes) -> None:
        """Add to the logits what the class [n] of each row says: penalties [classes, m], 0 or ILLEGAL."""
        penalties.take(classes, axis=0, out=self._work, mode="clip")
        np.add(self._logits, self._work, out=self._logits)

    def sample(self, noise: Float, out: Int | None = None) -> Int:
        """Gumbel-max: argmax(logits + noise) is a draw from softmax(logits)."""
        np.add(self._logits, noise, out=self._work)
        chosen: Int = self._work.argmax(axis=1, out=out)
        return chosen

    def best(self) -> Int:
        """The most probable action of each row, a new int64 [n]; the lowest index where logits are equal."""
        best: Int = self._logits.argmax(axis=1)
        return best

    def log_prob(self, actions: Int, out: Float | None = None) -> Float:
        """−log Σ exp(logits − logits[a]): exact, and safe without the usual maximum for whatever was sampled, because noise is
        bounded and so is how far a draw can be below the maximum; −inf where π(a) < e^−88.
        """
        np.add(self._row_start, actions, out=self._index)
        # mode="clip": with "raise" NumPy buffers `out`; the indices are in range by construction
        self._flat.take(self._index, out=self._chosen[:, 0], mode="clip")
        np.subtract(self._logits, self._chosen, out=self._work)
        np.exp(self._work, out=self._work)
        np.dot(self._work, self._ones, out=self._sums)
        np.log(self._sums, out=self._sums)
        return np.negative(self._sums, out=out)

    def entropy(self) -> Float:
        """ln Σ e^x − Σ x e^x / Σ e^x with x = logits − max, so that what cannot be chosen adds 0."""
        x = self._logits - self._logits.max(axis=1, keepdims=True)
        weights = np.exp(x)
        total = weights.sum(axis=1)
        entropy: Float = np.log(total) - (weights * x).sum(axis=1) / total
        return entropy
