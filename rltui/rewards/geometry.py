"""The few lengths and the one projection that rewards share."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Float

BACK_NET_Y = 6000.0  # uu, the back of the net
NET_CENTRE_Z = 321.39  # uu, half the goal's height
BALL_MAX_SPEED = 6000.0  # uu/s
CAR_MAX_SPEED = 2300.0  # uu/s
_NO_LENGTH = 1e-9  # uu, below any distance that float32 tells apart on the field


def component(vectors: Float, lines: Float) -> Float:
    """Length of `vectors` along `lines` (both [..., 3], broadcast), signed; 0 where a line has no length."""
    lengths = np.sqrt(np.einsum("...i,...i->...", lines, lines))
    along: Float = np.einsum("...i,...i->...", vectors, lines)
    along /= np.maximum(lengths, _NO_LENGTH)
    return along
