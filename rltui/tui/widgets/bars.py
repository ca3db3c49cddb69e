"""Bars of characters: progress lines and signed bars around a zero axis. Pure functions."""

from __future__ import annotations

from rltui.tui.paint import Line

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def progress_bar(share: float | None, width: int, role: str = "series-1") -> Line:
    """A thin line filled from the left; all track where the share is unknown. The two parts differ in shape too."""
    filled = 0.0 if share is None else min(max(share, 0.0), 1.0) * width
    whole = int(filled)
    half = whole < width and filled - whole >= 0.5
    rest = width - whole - half
    return (("━" * whole + ("╸" if half else ""), role), ("─" * rest, "track"))


def filled_bar(share: float, width: int, role: str) -> Line:
    """A solid bar with eighths of a column, blank behind. share: 0–1 of the width."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, rest = divmod(eighths, 8)
    text = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return ((text, role), (" " * (width - len(text)), ""))


def signed_bar(value: float, low: float, high: float, width: int) -> Line:
    """A bar from zero to `value` on the scale [low, high], low ≤ 0 ≤ high; negative ones go to the left."""
    span = (high - low) or 1.0
    left = round(width * -low / span) if low < 0 else 0
    right = width - left
    if value >= 0:
        return ((" " * left, ""), *filled_bar(value / high if high else 0.0, right, "positive"))
    size = min(max(round(left * value / low), 1), left)
    return ((" " * (left - size), ""), ("█" * size, "negative"), (" " * right, ""))
