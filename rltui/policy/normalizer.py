"""Observation normaliser in NumPy."""

from __future__ import annotations

import numpy as np

from rltui.policy.weights import Float

CLIP = 5.0  # deviations from the mean: what lies beyond counts as that far (rlgym-ppo's bound)
LEAST = 1e-12  # of a variance, beside the mean's square: below, a float32 has not varied but by rounding


def normalizer_flat(mean: Float, var: Float) -> Float:
    """What a Normalizer works with, float32 [2 D], from mean and variance [D]: the means, then the factors.

    A factor is 1 / standard deviation, and 0 for a number that has not varied: it becomes 0, whatever it is.
    """
    least = LEAST * (1 + np.square(mean, dtype=np.float64))
    factor = np.where(var > least, 1 / np.sqrt(np.maximum(var, least)), 0)
    return np.concatenate([mean, factor], dtype=np.float32, casting="same_kind")


class Normalizer:
    """clip((obs − mean) · factor, ± CLIP), number by number, in float32."""

    def __init__(self, flat: Float) -> None:
        """flat: as `normalizer_flat` gives it; a view, whose later changes count."""
        self._mean, self._factor = flat.reshape(2, -1)
        self._most = np.full_like(self._mean, CLIP)
        self._least = -self._most
        self._scratch: dict[int, Float] = {}

    def apply(self, obs: Float, out: Float) -> None:
        """Observations [n, D] into `out` [n, D]."""
        rows = self._scratch.get(len(obs))
        if rows is None:  # unbroken memory: twice as fast as working in `out`, which may be part of something wider
            rows = self._scratch[len(obs)] = np.empty_like(obs, order="C")
        np.subtract(obs, self._mean, out=rows)
        np.multiply(rows, self._factor, out=rows)
        np.maximum(rows, self._least, out=rows)
        np.minimum(rows, self._most, out=out)
