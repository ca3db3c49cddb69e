"""Which cars are turtled: on the roof on a floor. "On ground and upside down" finds none, and fires on the ceiling."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_WHEELS = 1  # down
UPSIDE_DOWN = np.array(-0.2, np.float32)  # up.z, below; an array, which NumPy compares with faster
FLOOR_NORMAL = 0.7  # z of the normal of what the body touches, above; without contact it is 0


def turtled(wheels: Any, up_z: Any, normal_z: Any) -> Any:
    """Of one car, or of arrays of one shape: wheels down, z of the up vector, z of the body's contact normal → bool."""
    return (wheels <= MOST_WHEELS) & (up_z < UPSIDE_DOWN) & (normal_z > FLOOR_NORMAL)
