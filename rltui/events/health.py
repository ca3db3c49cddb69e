"""How a metric's value is judged: its usual range, and what to try outside it. The texts are in health_texts.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Side = Literal["usual", "low", "high", "none"]


@dataclass(frozen=True)
class Health:
    """healthy: the usual range in words. low, high: its ends, None where no figure can say; if_low, if_high: what to try."""

    healthy: str
    advice: str = ""  # what moves it, where no end of a range says so
    low: float | None = None
    high: float | None = None
    if_low: str = ""
    if_high: str = ""


def side_of(health: Health, value: float | None) -> Side:
    """Where the value lies to its usual range. none: it is unknown, or nothing is known of the range."""
    if value is None or not math.isfinite(value) or (health.low is None and health.high is None):
        return "none"
    if health.low is not None and value < health.low:
        return "low"
    return "high" if health.high is not None and value > health.high else "usual"


def judged(health: Health, value: float | None) -> str:
    """`above the usual 0.002–0.02; lower the learning rate …`; empty where nothing can be said."""
    found = side_of(health, value)
    if found == "none":
        return ""
    if found == "usual":
        return f"within the usual {span(health)}"
    side, to_try = ("below", health.if_low) if found == "low" else ("above", health.if_high)
    return f"{side} the usual {span(health)}" + (f"; {to_try}" if to_try else "")


def span(health: Health) -> str:
    """0.002–0.02; 80 or more; 1 or less."""
    if health.low is None:
        return f"{health.high:g} or less"
    return f"{health.low:g} or more" if health.high is None else f"{health.low:g}–{health.high:g}"
