"""Numbers of timesteps as people type them, and how large one can be."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

LARGEST = 2**53  # whole numbers up to here are exact as floats too, which histories are kept in
UNITS: Mapping[str, int] = {"k": 1_000, "M": 1_000_000}


def timesteps_of(text: str) -> int | None:
    """`300000`, `300,000`, `300_000`, `3e5`, `300 k` and `0.3 M` are the same. None for no whole number, or one too large."""
    plain = text.replace(",", "").replace("_", "").strip()
    unit = UNITS.get(plain[-1:], 1)
    try:
        value = Decimal(plain[:-1].strip() if unit > 1 else plain) * unit  # a float is no 1.001 M
    except ArithmeticError:
        return None
    if not value.is_finite() or abs(value) > LARGEST or value != value.to_integral_value():
        return None
    return int(value)
