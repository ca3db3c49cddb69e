"""Vector helpers and goal positions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.field import GOAL_CENTRE_Z, NET_Y
from rltui.rewards.base import Reward
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


@dataclass(frozen=True)
class NetParams(Reward.Params):
    target_z: float = field(
        default=GOAL_CENTRE_Z,
        metadata={"doc": "Height of the point in the net.", "unit": "uu", "min": 0.0, "max": 642.775},
    )


def opponent_nets(target_z: float) -> Float:
    """[2, 3]: the net that blue, and the one that orange shoots at."""
    return np.array([[0.0, NET_Y, target_z], [0.0, -NET_Y, target_z]], dtype=np.float32)


def own_nets(target_z: float) -> Float:
    """[2, 3]: the net that blue, and the one that orange guards."""
    return opponent_nets(target_z)[::-1].copy()
