"""What a table is, in a sentence: how many rows of which product, and what a bot does with it that chooses at random."""

from __future__ import annotations

from math import prod

import numpy as np

from rltui.debug.canonical_states import BY_NAME
from rltui.debug.lut_effects import representatives
from rltui.debug.lut_findings import Check, listed
from rltui.sim.field import CONTROLS
from rltui.sim.state import Float

STEER, YAW, AXES = 1, 3, 5


def description(rows: Float) -> Check:
    """A check that always passes: size is no fault."""
    if not len(rows):
        return Check("table", "pass", "no row of the table is made of numbers")
    different = len(np.unique(rows, axis=0))
    return Check(
        "table", "pass", f"{len(rows):,} rows, {different:,} different: {_product(rows, different)}; {_random(rows)}"
    )


def _product(rows: Float, different: int) -> str:
    """`all 1,800 of throttle (3) × steer = yaw (5) × …`."""
    tied = bool((rows[:, STEER] == rows[:, YAW]).all())
    counts = {name: len(np.unique(rows[:, column])) for column, name in enumerate(CONTROLS)}
    if tied:
        counts["steer = yaw"] = counts.pop("steer")
        counts.pop("yaw")
    factors = {name: count for name, count in counts.items() if count > 1}
    full = prod(factors.values())
    share = f"all {full:,}" if different == full else f"{different:,} of the {full:,}"
    return f"{share} of {' × '.join(f'{name} ({count})' for name, count in factors.items()) or 'nothing'}"


def _random(rows: Float) -> str:
    pressed = [f"{name} {(rows[:, AXES + index] != 0).mean():.0%}" for index, name in enumerate(CONTROLS[AXES:])]
    driving = len(representatives(rows, BY_NAME["driving"]))
    flying = len(representatives(rows, BY_NAME["airborne with flip"]))
    return (
        f"while driving {driving:,} of them do different things (the other {len(rows) - driving:,} do the same as one of "
        f"those), in the air {flying:,}; a choice at random presses {listed(pressed)} of the time"
    )
