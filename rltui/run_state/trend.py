"""Whether a noisy metric still rises; what a diagnosis found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

BLOCK = 10  # iterations of a block at least
MOST = 400  # blocks; a longer run has larger ones
PATIENT = 5  # blocks without a new record after which a figure may be flat; of more than 25, √n
BACK = 10  # blocks that a rise is shown over
CLEAR = 2.2  # times the noise of a block: a record is clear of the one before by that
MOVED = 3.0  # times the noise: another level, however it came about
DRIFTED = 0.5  # times the noise: another level, where the blocks go that way
BROKEN = 5.0  # times the noise below the record: it broke down, even if it has been steady since
SURE = 3.5  # Student's t of the correlation with time, above which blocks go one way
FINE = 1e-3  # of the level: nobody sees a smaller change, so noise is no less
LARGEST = 1e150  # what is larger counts as unknown: its square is no float any more
_SPREAD = 0.826  # median |(a + c) / 2 − b| of three normal figures of deviation 1: 0.6745 √1.5

Kind = Literal["rising", "flat", "falling"]


@dataclass(frozen=True, slots=True)
class Trend:
    """then, now: means at rows `since` and `until`, counted from the first value. block: iterations of a block.

    Of one without a new record, since row `since`, where the record stands: the middle ones of three blocks, after it and
    newest, or if it broke down the record and the newest two. noise: what chance alone may put between then and now.
    """

    kind: Kind
    then: float
    now: float
    since: int
    until: int
    block: int
    noise: float


def needed() -> int:
    """Iterations below which there is no trend."""
    return BLOCK * (PATIENT + 1)


def counted(values: Sequence[float]) -> tuple[int, int]:
    """(iterations that count, needed): those of blocks that are known, and what the next block knows so far."""
    size = _block_size(len(values))
    rest = values[len(values) - len(values) % size :]
    known = sum(abs(value) < LARGEST for value in rest)
    return len(_blocks(values, size)) * size + known, size * (PATIENT + 1)


def trend(values: Sequence[float]) -> Trend | None:
    """Of one value an iteration, NaN where unknown; None where there are too few to say it."""
    size = _block_size(len(values))
    blocks = _blocks(values, size)
    if len(blocks) <= PATIENT:
        return None
    rows, means = [row for row, _ in blocks], [mean for _, mean in blocks]
    noise = _noise(means)
    smooth, end = _without_spikes(means), rows[-1] + size
    at = record(smooth, CLEAR * noise)
    after = means[at + 1 :]  # the record itself is high by chance too
    if len(after) > 1 and max(after[-2:]) < smooth[at] - BROKEN * noise:
        return Trend("falling", smooth[at], fmean(after[-2:]), rows[at], end, size, MOVED * noise)
    if len(after) < max(PATIENT, math.isqrt(len(means))):
        start = max(at - BACK, 0)
        return Trend("rising", smooth[start], smooth[at], rows[start], rows[at] + size, size, MOVED * noise)
    first, last = median(after[:3]), median(after[-3:])
    kind = _kind(last - first, _order(after), noise)
    return Trend(kind, first, last, rows[at], end, size, MOVED * noise)


def _kind(change: float, order: float, noise: float) -> Kind:
    """Of a figure that has changed by so much. order: Student's t of that."""
    least = DRIFTED if abs(order) >= SURE and order * change > 0 else MOVED
    if abs(change) <= least * noise:
        return "flat"
    return "rising" if change > 0 else "falling"


def _order(means: Sequence[float]) -> float:
    """Student's t of their correlation with time: t = r √((n − 2) / (1 − r²))."""
    found = correlation(means)
    return found * math.sqrt((len(means) - 2) / max(1 - found**2, 1e-12))


def _noise(means: Sequence[float]) -> float:
    """Standard deviation of a block's mean, from how far each is from the line between its neighbours."""
    bends = median(
        abs((before + after) / 2 - mean) for before, mean, after in zip(means, means[1:], means[2:], strict=False)
    )
    return max(bends / _SPREAD, FINE * median(map(abs, means)))


def _without_spikes(means: Sequence[float]) -> list[float]:
    """Each as the middle one of itself and its neighbours; the first as the higher of two, the last as the lower."""
    inner = [sorted(means[place - 1 : place + 2])[1] for place in range(1, len(means) - 1)]
    return [max(means[:2]), *inner, min(means[-2:])]


def _block_size(rows: int) -> int:
    """Twice as large whenever there would be too many: what was found in older ones then hardly changes."""
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
        if abs(total) < LARGEST:  # it is not NaN either
            found.append((row, total / size))
        elif len(known := [value for value in part if abs(value) < LARGEST]) * 2 >= size:
            found.append((row, fmean(known)))
    return found


@dataclass(frozen=True, slots=True)
class Symptom:
    """iterations: for how many of the newest it is so, at least."""

    words: str
    iterations: int
    to_try: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the reward does since row `first`, under the present rewards, and what is ill, worst first.

    seconds: at work, from the trend's first row to its last; None where not known. rows: of the history that was read.
    basis: what else they rest on, in verdict.py's words; None before anything was looked for.
    """

    trend: Trend | None = None
    first: int = 0
    symptoms: tuple[Symptom, ...] = ()
    seconds: float | None = None
    rows: int = 0
    basis: object = None
