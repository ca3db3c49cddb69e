"""Modes: factors of whole categories of rewards, for those who would rather choose a style than many weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from rltui.errors import RltuiError
from rltui.rewards.reward import Category

CATEGORIES: tuple[str, ...] = get_args(Category)
MODES: Mapping[str, tuple[float, ...]] = {  # by category, in the order of CATEGORIES
    "none": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "sparse": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "dense": (0.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "hybrid": (1.0, 0.5, 0.7, 0.6, 0.5, 0.8, 0.4, 0.7),
}


def category_factors(mode: str, extra: Sequence[tuple[str, float]] = ()) -> dict[str, float]:
    """The factor of each category: the mode's, times those of `extra`.

    RltuiError for a mode or a category that does not exist.
    """
    if mode not in MODES:
        raise RltuiError(f"reward mode {mode!r} does not exist", f"one of {', '.join(MODES)}", exit_code=2)
    factors = dict(zip(CATEGORIES, MODES[mode], strict=True))
    for name, factor in extra:
        if name not in factors:
            raise RltuiError(f"reward category {name!r} does not exist", f"one of {', '.join(CATEGORIES)}", exit_code=2)
        factors[name] *= factor
    return factors
