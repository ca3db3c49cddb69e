"""Bars of characters: progress lines and signed bars around a zero axis. Pure functions."""

from __future__ import annotations

from rltui.tui.paint import Line


def progress_bar(share: float | None, width: int, role: str = "series-1") -> Line:
    """A thin line filled from the left; all track where the share is unknown. The two parts differ in shape too."""
    filled = 0.0 if share is None else min(max(share, 0.0), 1.0) * width
    whole = int(filled)
    half = whole < width and filled - whole >= 0.5
    rest = width - whole - half
    return (("━" * whole + ("╸" if half else ""), role), ("─" * rest, "track"))


def filled_bar(share: float, width: int, role: str) -> Line:
    """A heavy line with halves of a column, blank behind; anything above nothing shows. share: 0–1 of the width."""
    halves = round(min(max(share, 0.0), 1.0) * width * 2)
    whole, half = divmod(max(halves, 1) if share > 0 else halves, 2)
    text = "━" * whole + "╸" * half
    return ((text, role), (" " * (width - len(text)), ""))


def signed_bar(value: float, low: float, high: float, width: int) -> Line:
    """A bar from zero to `value` on the scale [low, high], low ≤ 0 ≤ high; negative ones go to the left."""
    span = (high - low) or 1.0
    left = min(max(round(width * -low / span), 1), width - 1) if low < 0 else 0
    right = width - left
    if value >= 0:
        return ((" " * left, ""), *filled_bar(value / high if high else 0.0, right, "positive"))
    halves = max(round(2 * left * value / low), 1)
    text = "╺" * (halves % 2) + "━" * (halves // 2)
    return ((" " * (left - len(text)), ""), (text, "negative"), (" " * right, ""))
