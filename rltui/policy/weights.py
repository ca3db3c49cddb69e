"""Flat vector of a network's parameters: w0, b0, w1, b1, … with each w as [in, out], C order, float32.

A weight matrix followed by its bias is one [in + 1, out] matrix, which is what `DiscretePolicy` multiplies by. Of a policy that
scales its observations the means and factors stand behind them, and `Normalizer` works with those.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Layer = tuple[Float, Float]  # w [in, out], b [out]
CLIP = 5.0  # deviations from the mean: what lies beyond counts as that far (rlgym-ppo's bound)
LEAST = 1e-12  # of a variance, beside the mean's square: below, a float32 has not varied but by rounding


def flat_size(sizes: Sequence[int], normalize: bool = False) -> int:
    """Parameters of a network with these widths, from the input's to the output's: [92, 256, 256, 256, 90].

    normalize: with the means and the factors of its observations behind them (`normalizer_flat`).
    """
    return sum((n + 1) * m for n, m in pairwise(sizes)) + (2 * sizes[0] if normalize else 0)


def layer_sizes(layers: Sequence[Layer]) -> list[int]:
    """Widths of the layers, from the input's to the output's. Raises ValueError where shapes do not follow each other."""
    if not layers:
        raise ValueError("a network needs at least one layer")
    sizes = [layers[0][0].shape[0]]
    for i, (w, b) in enumerate(layers):
        if w.ndim != 2 or w.shape[0] != sizes[-1]:
            raise ValueError(f"w{i} is {list(w.shape)}, expected [{sizes[-1]}, out]")
        if b.shape != (w.shape[1],):
            raise ValueError(f"b{i} is {list(b.shape)}, expected [{w.shape[1]}]")
        sizes.append(w.shape[1])
    return sizes


def flatten(layers: Sequence[Layer]) -> Float:
    """The parameters as one new float32 vector [flat_size]."""
    return np.concatenate([np.ravel(part) for layer in layers for part in layer], dtype=np.float32)


def matrices(flat: Float, sizes: Sequence[int]) -> list[Float]:
    """Each layer as one [in + 1, out] view into `flat`, the bias as its last row."""
    if flat.shape != (flat_size(sizes),):
        raise ValueError(f"flat parameters are {list(flat.shape)}, expected [{flat_size(sizes)}] for {list(sizes)}")
    views, start = [], 0
    for n, m in pairwise(sizes):
        views.append(flat[start : start + (n + 1) * m].reshape(n + 1, m))
        start += (n + 1) * m
    return views


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
