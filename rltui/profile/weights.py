"""Reward weight or schedule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pydantic_core import PydanticCustomError

from rltui.formatting import LARGEST

MOST = 1e38  # of a weight: rewards are float32, and the journal's header tells no figure beyond 1e100


def schedule(value: Any) -> Any:
    """A list of points as ((timesteps, weight), …); anything else as it is, for others to judge.

    PydanticCustomError says which point is wrong, and why; and that a plain weight is too large.
    """
    if _is_number(value) and MOST < abs(value) < math.inf:
        raise PydanticCustomError("weight_too_large", f"too large, at most {MOST:g}")
    if not isinstance(value, list | tuple):
        return value
    problem = next(_problems(value), "")
    if problem:
        raise PydanticCustomError("weight_schedule", problem)
    return tuple((int(timesteps), float(weight)) for timesteps, weight in value)


def points(weight: Any) -> tuple[tuple[int, float], ...]:
    """A schedule's points; a plain weight is one, at 0."""
    return weight if isinstance(weight, tuple) else ((0, weight),)


def _problems(value: Sequence[Any]) -> Iterator[str]:
    if not value:
        yield "a schedule without points"
    for number, point in enumerate(value, start=1):
        yield from (f"point {number}: {problem}" for problem in _of_point(point))
    for number, ((before, _), (after, _)) in enumerate(pairwise(value), start=2):
        if after <= before:
            yield f"point {number}: timesteps must rise, not {after:_} after {before:_}"


def _of_point(point: Any) -> Iterator[str]:
    if not isinstance(point, list | tuple) or len(point) != 2 or not all(map(_is_number, point)):
        yield "not [timesteps, weight]"
        return
    timesteps, weight = point
    if not (0 <= timesteps <= LARGEST and float(timesteps).is_integer()):
        yield f"timesteps must be a whole number, at least 0, not {timesteps}"
    if not -MOST <= weight <= MOST:
        finite = weight == weight and abs(weight) != math.inf
        yield f"the weight must be {f'{-MOST:g} to {MOST:g}' if finite else 'finite'}, not {weight}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
