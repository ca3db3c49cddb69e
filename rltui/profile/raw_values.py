"""Looking into raw values, of which none need be what it should be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def table(data: Any, key: str) -> Mapping[str, Any]:
    """The table under a key; an empty one where there is something else."""
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def tables(data: Any, key: str) -> Sequence[Mapping[str, Any]]:
    """The tables of a list under a key; empty unless all its elements are tables."""
    value = data.get(key) if isinstance(data, Mapping) else None
    sound = isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value)
    return value if sound else ()  # type: ignore[return-value]  # it has been looked at


def number(data: Mapping[str, Any], key: str, default: float | None) -> float | None:
    """The number written, the default where none is, None where something else is."""
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value
