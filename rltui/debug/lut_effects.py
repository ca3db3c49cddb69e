"""Which rows do the same in a situation: the controls that the car cannot feel there, taken out.

Steering does nothing in the air, pitch nothing on wheels, where boost means full throttle as well; and so on.
"""

from __future__ import annotations

import numpy as np

from rltui.debug.canonical_states import CanonicalState
from rltui.sim.field import BOOST, JUMP, PITCH, ROLL, STEER, THROTTLE
from rltui.sim.state import Float, Int

TORQUE = slice(PITCH, ROLL + 1)  # pitch, yaw, roll


def felt(rows: Float, state: CanonicalState) -> Float:
    """Copies of the rows [N, 8] with every control at zero that changes nothing within a step from this state."""
    out = rows + np.float32(0.0)  # −0 and 0 are the same control
    if state.surface == "none":
        out[:] = 0
        return out
    if not state.boost:
        out[:, BOOST] = 0
    if state.wheels_down:
        rolling = out[:, JUMP] == 0  # who jumps is in the air before the step is over
        out[rolling, TORQUE] = 0
        out[rolling & (out[:, BOOST] != 0), THROTTLE] = 1
    else:
        out[:, STEER] = 0
    if state.surface == "air" and not state.flip:
        out[:, JUMP] = 0
    return out


def representatives(rows: Float, state: CanonicalState) -> Int:
    """Row numbers, ascending: the first row of each effect."""
    _, first = np.unique(felt(rows, state), axis=0, return_index=True)
    return np.sort(first)
