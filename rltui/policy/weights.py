"""Flat vector of a network's parameters: w0, b0, w1, b1, … with each w as [in, out], C order, float32.

A weight matrix followed by its bias is one [in + 1, out] matrix, which is what `DiscretePolicy` multiplies by.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Layer = tuple[Float, Float]  # w [in, out], b [out]


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
