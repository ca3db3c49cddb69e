"""Parameters that are a range: `boost = [60, 100]` in a profile, a pair of numbers in `Params`."""

from __future__ import annotations

import dataclasses
from typing import Any

Span = tuple[float, float]


def span(doc: str, unit: str, least: float, most: float) -> dict[str, Any]:
    """A dataclass field's metadata: both ends of what a profile sets lie in [least, most]."""
    return {"doc": doc, "unit": unit, "min": float(least), "max": float(most), "span": True}


def check_spans(params: Any) -> None:
    """ValueError names a span that is no pair of numbers, the lower one first."""
    for field in dataclasses.fields(params):
        if not field.metadata.get("span"):
            continue
        value = getattr(params, field.name)
        if not (
            isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]
        ):
            raise ValueError(f"{field.name} must be [low, high] with low <= high, found {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
