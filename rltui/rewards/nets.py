"""The two nets as rewards see them: the middle of the back of each, at a height that a profile may choose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.field import GOAL_CENTRE_Z, NET_Y
from rltui.sim.state import Float


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
