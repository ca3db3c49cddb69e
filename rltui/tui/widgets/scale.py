"""The vertical axis of a chart, linear or logarithmic: its bounds, its ticks, and bins in its units. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rltui import formatting
from rltui.tui.widgets.plot import Bin, nice_range


@dataclass(frozen=True, slots=True)
class Scale:
    """low, high: of the axis, in drawn units: decimal logarithms where `log`."""

    low: float
    high: float
    log: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def drawn(self, value: float) -> float | None:
        """The value in drawn units; None where it has no place on the axis."""
        if not self.log:
            return value
        return math.log10(value) if value > 0 else None

    def label(self, drawn: float) -> str:
        """What stands beside the axis at this place."""
        return formatting.axis(10.0**drawn if self.log else drawn)

    def ticks(self, most: int) -> list[float]:
        """At most so many places strictly within the bounds: whole decades of a logarithmic axis, else equal parts."""
        if self.log:
            decades = range(math.floor(self.low) + 1, math.ceil(self.high))
            inside = [float(decade) for decade in decades if self.low < decade < self.high]
            return inside[:: max(-(-len(inside) // max(most, 1)), 1)]
        parts = 4 if most >= 3 else 2 if most >= 1 else 1
        return [self.low + (self.high - self.low) * part / parts for part in range(1, parts)]


def scale_of(curves: Iterable[Sequence[Bin]], log: bool = False) -> Scale | None:
    """One that holds all bins; of a logarithmic one those above zero. None where nothing is left to hold."""
    bins = [item for curve in curves for item in curve if not log or item.mean > 0]
    if not bins:
        return None
    if not log:
        return Scale(*nice_range(min(item.low for item in bins), max(item.high for item in bins)))
    return Scale(*_log_range(min(_above_zero(item) for item in bins), max(item.high for item in bins)), log=True)


def in_units(bins: Sequence[Bin], scale: Scale) -> list[Bin]:
    """The bins in drawn units; on a logarithmic axis those whose mean is not above zero leave a gap."""
    if not scale.log:
        return list(bins)
    found: list[Bin] = []
    broken = False
    for item in bins:
        if item.mean <= 0:
            broken = True
            continue
        low, mean, high = (math.log10(value) for value in (_above_zero(item), item.mean, item.high))
        found.append(Bin(item.column, low, mean, high, (broken or item.broken) and bool(found)))
        broken = False
    return found


def has_gaps(bins: Iterable[Bin]) -> bool:
    """Whether a logarithmic axis has no place for some of the values."""
    return any(item.low <= 0 for item in bins)


def _above_zero(item: Bin) -> float:
    """The lowest value with a place on a logarithmic axis: of a bin that reaches to zero or below only its mean is sure."""
    return item.low if item.low > 0 else item.mean


def _log_range(low: float, high: float) -> tuple[float, float]:
    """Logarithms of bounds with few digits."""
    if low == high:
        low, high = low / 1.5, high * 1.5
    return _log_bound(low, up=False), _log_bound(high, up=True)


def _log_bound(value: float, *, up: bool) -> float:
    power = math.floor(math.log10(value))
    steps = [math.log10(factor) + power for factor in (1, 1.5, 2, 3, 5, 7, 10)]
    place = math.log10(value)
    if up:
        return next((step for step in steps if step >= place - 1e-9), steps[-1])
    return next((step for step in reversed(steps) if step <= place + 1e-9), steps[0])
