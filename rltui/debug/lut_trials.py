"""Trials: rows held for a while in the simulator, and what the car has to have done for the move to count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rltui.debug.lut_measures import (
    Measure,
    boost_used,
    climb,
    flipped,
    gain,
    heading,
    jumped,
    pitch,
    roll,
    sideways,
    yaw,
)
from rltui.debug.lut_stage import Played
from rltui.sim.state import Float

DRIVING_STEPS, FLYING_STEPS = 8, 6  # steps of 8 ticks: 0.5 s and 0.4 s
STRAIGHT = 5.0  # degrees


@dataclass(frozen=True)
class Trial:
    """move: what it proves, named as in `lut_moves`. goal: in words, with `enough` in the place of {}; enough: of measure."""

    move: str
    state: str
    measure: Measure
    enough: float
    goal: str


def _against(measure: Measure) -> Measure:
    return lambda played: -measure(played)


def _boosting(measure: Measure) -> Measure:
    """Of the cars that used boost, the others have done nothing."""
    return lambda played: np.where(boost_used(played) > 0, measure(played), 0)


def _flip(measure: Measure) -> Measure:
    return lambda played: np.where(flipped(played), measure(played), 0)


def _plain_gain(played: Played) -> Float:
    """Speed won straight on, without boost and with all wheels down."""
    plain = (boost_used(played) == 0) & ~jumped(played) & (np.abs(heading(played)) < STRAIGHT)
    return np.where(plain, gain(played), -np.inf)


def _jump(played: Played) -> Float:
    return np.where(jumped(played), climb(played), 0)


def _second_jump(played: Played) -> Float:
    return np.where(played[-1].has_double_jumped & ~flipped(played), climb(played), -np.inf)


DRIVING, FLYING = "driving", "airborne with flip"
TRIALS = (
    Trial("is plain full throttle", DRIVING, _plain_gain, 50, "gains {} uu/s at 1,000 uu/s without boost"),
    Trial("turns left", DRIVING, _against(heading), 20, "turns {} degrees to the left in half a second"),
    Trial("turns right", DRIVING, heading, 20, "turns {} degrees to the right in half a second"),
    Trial("reverses", DRIVING, _against(gain), 500, "brakes by {} uu/s in half a second"),
    Trial("boosts", DRIVING, _boosting(gain), 100, "gains {} uu/s by boost"),
    Trial("boosts and turns left", DRIVING, _boosting(_against(heading)), 20, "turns {} degrees to the left at boost"),
    Trial("boosts and turns right", DRIVING, _boosting(heading), 20, "turns {} degrees to the right at boost"),
    Trial("jumps", DRIVING, _jump, 10, "climbs at {} uu/s half a second after a jump"),
    Trial("pitches down", FLYING, _against(pitch), 1.5, "lowers its nose at {} rad/s"),
    Trial("pitches up", FLYING, pitch, 1.5, "lifts its nose at {} rad/s"),
    Trial("yaws left", FLYING, _against(yaw), 1.5, "turns left in the air at {} rad/s"),
    Trial("yaws right", FLYING, yaw, 1.5, "turns right in the air at {} rad/s"),
    Trial("rolls left", FLYING, _against(roll), 1.5, "rolls left at {} rad/s"),
    Trial("rolls right", FLYING, roll, 1.5, "rolls right at {} rad/s"),
    Trial("jumps a second time", FLYING, _second_jump, 20, "climbs at {} uu/s after a second jump"),
    Trial("flips forward", FLYING, _flip(gain), 250, "gains {} uu/s forward by a flip"),
    Trial("flips backward", FLYING, _flip(_against(gain)), 250, "gains {} uu/s backward by a flip"),
    Trial("flips to the left", FLYING, _flip(_against(sideways)), 250, "gains {} uu/s to the left by a flip"),
    Trial("flips to the right", FLYING, _flip(sideways), 250, "gains {} uu/s to the right by a flip"),
)
