"""Boost as the simulator counts it, tick by tick (RocketSim: Car::_UpdateBoost, BoostPad::_PostTickUpdate)."""

from __future__ import annotations

from collections.abc import Iterable

from rltui.sim import field

PAD_BOOST = tuple(field.BIG_PAD_BOOST if pad in field.BIG_PADS else field.SMALL_PAD_BOOST for pad in range(field.PADS))
TICK = 1.0 / field.TICKS_PER_SECOND
USE = field.BOOST_USE * TICK
LEAST_TIME = field.LEAST_BOOST_SECONDS - TICK / 2  # between two ticks, for the simulator's float32 sums are not exact


def after_ticks(boost: float, boosting_time: float, held: Iterable[bool]) -> tuple[float, float]:
    """(boost, seconds that it has been boosting) after ticks with the button held or not.

    boosting_time: 0 when it does not. A press lasts a tenth of a second at least.
    """
    for pressed in held:
        if boost <= 0 or (boosting_time >= LEAST_TIME and not pressed):
            boosting_time = 0.0
        elif boosting_time > 0 or pressed:
            boosting_time += TICK
        if boosting_time > 0:
            boost = max(boost - USE, 0.0)
    return boost, boosting_time
