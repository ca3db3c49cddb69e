"""Whether a noisy figure still rises: means of blocks of iterations, their newest record, and what came after. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Literal

BLOCK = 10  # iterations of a block at least
MOST = 400  # blocks; a longer run has larger ones
PATIENT = 5  # blocks without a new record after which a figure may be flat; of more than 25, √n
BACK = 10  # blocks that a rise is told over
CLEAR = 2.0  # times the noise of a block: a record is clear of the one before by that
FALLEN = 3.0  # times the noise below the record's level
SURE = 0.5  # correlation with time above which a figure rises, though slowly
_SPREAD = 0.954  # median |a − b| of two normal figures of deviation 1: 0.6745 √2

Kind = Literal["rising", "flat", "falling"]


@dataclass(frozen=True, slots=True)
class Trend:
    """then, now: means at rows `since` and `until`, counted from the first value. block: iterations of a block.

    flat, falling: since row `since`, where the record stands; then and now are means of three blocks, after it and newest.
    """

    kind: Kind
    then: float
    now: float
    since: int
    until: int
    block: int


def needed() -> int:
    """Iterations below which nothing can be said."""
    return BLOCK * (PATIENT + 1)


def trend(values: Sequence[float]) -> Trend | None:
    """Of one value an iteration, NaN where unknown; None where there are too few to say it."""
    size = _block_size(len(values))
    blocks = _blocks(values, size)
    if len(blocks) <= PATIENT:
        return None
    rows, means = [row for row, _ in blocks], [mean for _, mean in blocks]
    noise = median(abs(after - before) for before, after in pairwise(means)) / _SPREAD
    at = record(means, CLEAR * noise)
    after = means[at + 1 :]  # the record itself is high by chance too
    if len(after) < max(PATIENT, math.isqrt(len(means))) and at:
        start = max(at - BACK, 0)
        return Trend("rising", means[start], means[at], rows[start], rows[at] + size, size)
    first, last = fmean(after[:3]), fmean(after[-3:])
    if correlation(after) >= SURE and last > first:
        return Trend("rising", first, last, rows[at], rows[-1] + size, size)
    kind: Kind = "falling" if last < first - FALLEN * noise else "flat"
    return Trend(kind, first, last, rows[at], rows[-1] + size, size)


def _block_size(rows: int) -> int:
    """Twice as large whenever there would be too many: what has been said of older ones then hardly changes."""
    size = BLOCK
    while rows > size * MOST:
        size *= 2
    return size


def record(means: Sequence[float], clear: float) -> int:
    """The place of the newest mean that is above the record before it by more than `clear`; 0 where none is."""
    at = 0
    for place, mean in enumerate(means):
        if mean > means[at] + clear:
            at = place
    return at


def correlation(means: Sequence[float]) -> float:
    """Pearson's, with their places; 0 where they are all alike."""
    middle, mean = (len(means) - 1) / 2, fmean(means)
    xy = sum((place - middle) * (value - mean) for place, value in enumerate(means))
    xx = sum((place - middle) ** 2 for place in range(len(means)))
    yy = sum((value - mean) ** 2 for value in means)
    return xy / math.sqrt(xx * yy) if xx * yy > 0 else 0.0


def _blocks(values: Sequence[float], size: int) -> list[tuple[int, float]]:
    """(first row, mean) of each whole block in which at least half is known."""
    found = []
    for row in range(0, len(values) - size + 1, size):
        part = values[row : row + size]
        total = sum(part)
        if math.isfinite(total):
            found.append((row, total / size))
        elif len(known := [value for value in part if math.isfinite(value)]) * 2 >= size:
            found.append((row, fmean(known)))
    return found
