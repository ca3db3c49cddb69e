"""Team spirit and zero sum: each car's reward made of those of all cars of its arena. Both are linear: one matrix."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Float


def team_mix(blue: int, orange: int, spirit: float, zero_sum: bool) -> Float:
    """M float32 [C, C]: with r [C] the cars' own rewards, all blue, then all orange, r @ M are those that they get.

    r_i ← (1 − τ) r_i + τ · mean of r over i's team (OpenAI Five's team spirit τ); then, with zero_sum,
    r_i ← r_i − mean of the opponents' so mixed r, where there are any.
    """
    teams = [(0, blue), (blue, blue + orange)]
    mix = (1 - spirit) * np.eye(blue + orange)
    for first, last in teams:
        mix[first:last, first:last] += spirit / max(1, last - first)
    if zero_sum:
        for (first, last), (their_first, their_last) in zip(teams, reversed(teams), strict=True):
            # a mean over a team is the same before and after the spirit
            mix[first:last, their_first:their_last] = -1.0 / max(1, last - first)
    return mix.astype(np.float32)
