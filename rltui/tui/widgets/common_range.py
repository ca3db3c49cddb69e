"""Two curves of very different length: the timesteps in which the shorter one can be seen. Pure."""

from __future__ import annotations

from rltui.tui.widgets.chart import Curve, whole_span

SHORT = 0.25  # of all timesteps: a curve below that would be a few columns
BEYOND = 0.25  # of the shorter one's own timesteps are shown past its ends


def common_range(own: Curve, other: Curve) -> tuple[float, float] | None:
    """Around the shorter one, within all timesteps; None where both can be seen in all of them, or none are in common."""
    if not own.rows or not other.rows:
        return None
    start, end = whole_span(own, other)
    short, long = sorted((own, other), key=_extent)
    if _extent(short) >= SHORT * (end - start) or _last(short) < long.xs[0] or short.xs[0] > _last(long):
        return None
    beyond = BEYOND * (_extent(short) or _last(short) or 1.0)
    first = short.xs[0] if short.xs[0] > beyond else start
    found = max(first - beyond, start), min(_last(short) + beyond, end)
    return found if found[0] < found[1] else None  # steps that go back, which no trainer writes


def _last(curve: Curve) -> float:
    """Timesteps of the last row; one at least is there."""
    return curve.xs[curve.rows - 1]


def _extent(curve: Curve) -> float:
    return _last(curve) - curve.xs[0]
