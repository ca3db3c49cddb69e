"""Lengths, projections and angles of vectors, as rewards share them."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Float

_NO_LENGTH = 1e-9  # uu, below any distance that float32 tells apart on the field


def length(vectors: Float) -> Float:
    """Of vectors [..., 3]."""
    squares: Float = np.einsum("...i,...i->...", vectors, vectors)
    np.sqrt(squares, out=squares)
    return squares


def component(vectors: Float, lines: Float) -> Float:
    """Length of `vectors` along `lines` (both [..., 3], broadcast), signed; 0 where a line has no length."""
    along: Float = np.einsum("...i,...i->...", vectors, lines)
    along /= np.maximum(length(lines), _NO_LENGTH)
    return along


def cosine(vectors: Float, lines: Float) -> Float:
    """Of the angle between `vectors` and `lines` (both [..., 3], broadcast); 0 where one has no length."""
    cosines = component(vectors, lines)
    cosines /= np.maximum(length(vectors), _NO_LENGTH)
    return cosines
