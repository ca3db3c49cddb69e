"""Trend of a noisy metric: the one rule by which a rise, a fall or neither is told; what a diagnosis found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

BLOCK = 10  # iterations whose mean counts as one figure
FEWEST = 60  # iterations without which there is no trend
NOT_SHORT = "(short episodes do not count)"  # beside every count of iterations with a reward
SHORT, LONG = 30, 120  # blocks of the window, at least and at most; fewer while there are fewer
NEWEST = 5  # blocks that `now` and `best` are means of
RECENT = 15  # blocks: a best no older keeps it rising
CLEAR, CALM = 5.0, 1.0  # times the noise: a change is sure above the one; below the other there is none any more
FINE = 1e-3  # of the level: nobody sees a smaller change, so noise is no less
LARGEST = 1e150  # what is larger counts as unknown: its square is no float any more

Kind = Literal["rising", "flat", "falling"]


@dataclass(frozen=True, slots=True)
class Change:
    """By how much the newest part of the window is above `before`, the mean of the rest, which lies `span` iterations earlier.

    noise: the standard error of that. deviation: of one block.
    """

    by: float
    before: float
    noise: float
    deviation: float
    span: int

    @property
    def is_sure(self) -> bool:
        return abs(self.by) > CLEAR * self.noise

    def after(self, kind: Kind | None) -> Kind | None:
        """What it makes of the kind so far; None while nothing has been sure."""
        if self.is_sure:
            return "rising" if self.by > 0 else "falling"
        still = {"rising": self.by, "falling": -self.by}.get(kind or "", abs(self.by))
        return kind if still > CALM * self.noise else "flat"


@dataclass(frozen=True, slots=True)
class Trend:
    """best, now: the highest and the newest mean of NEWEST blocks. noise: two standard errors of either."""

    kind: Kind | None
    best: float
    now: float
    noise: float


def trend(values: Sequence[float]) -> Trend | None:
    """Of one value an iteration, those unknown (NaN) left out; None for fewer than FEWEST.

    b₁ … bₙ are the means of BLOCK values each. Of the last w = n / 2 blocks, within SHORT … LONG, the newest h = w / 6 are
    held against the others:

        change = mean(newest h) − mean(w − h before)
        noise² = s² (1 / h + 1 / (w − h)),   s² = Σ (bᵢ − bᵢ₋₁)² / 2 (w − 1)

    with the mean square successive difference s² (von Neumann 1941), which a slow rise hardly enlarges and a jump much.
    Above CLEAR · noise it is rising, below −CLEAR · noise falling, and so until the change is within CALM · noise of none or
    on the other side: then it is flat, but rising as long as the best is RECENT. That is asked after each block, so what was
    found holds until the next is sure; of the last SHORT blocks alone first, which see a breakdown soonest.
    """
    blocks = _blocks(values)
    if len(blocks) * BLOCK < FEWEST:
        return None
    means = [sum(blocks[at : at + NEWEST]) / NEWEST for at in range(len(blocks) - NEWEST + 1)]
    best = list(accumulate(means, max))
    told: list[tuple[Change, bool]] = []  # and whether the best is RECENT; the newest first, back to one that is sure
    for n in range(len(blocks), FEWEST // BLOCK - 1, -1):
        newest, at = _change(blocks[max(n - SHORT, 0) : n]), n - NEWEST
        recent = at < RECENT or best[at] > best[at - RECENT]
        told.append((newest if newest.is_sure else _change(blocks[max(n - _window(n), 0) : n]), recent))
        if told[-1][0].after(None) is not None and (told[-1][0].is_sure or not recent):
            break  # whatever was before
    kind: Kind | None = None
    for change, recent in reversed(told):
        new = change.after(kind)
        kind = kind if (kind, new, recent) == ("rising", "flat", True) else new
    return Trend(kind, best[-1], means[-1], 2 * told[0][0].deviation / math.sqrt(NEWEST))


@dataclass(frozen=True, slots=True)
class NewestMean:
    """Mean of the newest NEWEST blocks. error: its standard error; freedom: the degrees of freedom of that."""

    mean: float
    error: float
    freedom: float


def newest_mean(values: Sequence[float]) -> NewestMean | None:
    """As `trend` has it for now; the error from the last SHORT blocks. None for fewer values than FEWEST."""
    blocks = _blocks(values)[-SHORT:]
    n = len(blocks)
    if n * BLOCK < FEWEST:
        return None
    mean = sum(blocks[-NEWEST:]) / NEWEST
    error = max(_change(blocks).deviation / math.sqrt(NEWEST), FINE * abs(mean))
    return NewestMean(mean, error, 2 * (n - 1) ** 2 / (3 * n - 4))


def too_few(known: int, since: str = "") -> str:
    """`17 of 60 iterations with a reward since touch 2 (short episodes do not count)`. known: more are not judged yet."""
    return f"{min(known, FEWEST - 1)} of {FEWEST} iterations with a reward{since} {NOT_SHORT}"


def newest_change(values: Sequence[float], rows: int) -> Change | None:
    """The change that `trend` sees at the end of so many rows. values: the newest of them, LONG blocks at least."""
    size = _window(rows // BLOCK) * BLOCK
    blocks = _blocks(values[-size:])
    return _change(blocks) if len(blocks) * BLOCK >= FEWEST else None


def _window(blocks: int) -> int:
    return max(SHORT, min(blocks // 2, LONG))


def _blocks(values: Sequence[float]) -> list[float]:
    """From the first value on, so that no later one changes what they were; what does not fill one is left out."""
    known = [value for value in values if abs(value) < LARGEST]  # NaN is not
    return [sum(known[at - BLOCK : at]) / BLOCK for at in range(BLOCK, len(known) + 1, BLOCK)]


def _change(blocks: Sequence[float]) -> Change:
    """Of all these blocks."""
    h = max(len(blocks) // 6, 2)
    rest = len(blocks) - h
    before = sum(blocks[:rest]) / rest
    variance = sum((each - last) ** 2 for last, each in pairwise(blocks)) / 2 / (len(blocks) - 1)
    noise = max(math.sqrt(variance * (1 / h + 1 / rest)), FINE * abs(before))
    return Change(sum(blocks[rest:]) / h - before, before, noise, math.sqrt(variance), len(blocks) * BLOCK // 2)


@dataclass(frozen=True, slots=True)
class Symptom:
    """What is ill, with its figures, and what to try."""

    words: str
    to_try: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the reward does since row `first`, and what is ill, worst first. basis: what they rest on; None: nothing yet."""

    trend: Trend | None = None
    first: int = 0
    symptoms: tuple[Symptom, ...] = ()
    basis: object = None
