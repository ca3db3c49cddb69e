"""Where a simulator's state object has its numbers in memory, found by experiment, and one gather for those of many objects.

An attribute of a BallState or CarState costs 60 ns or more, since each makes an object, and a step reads some 70 of them in
every arena: a tenth of all time. To gather their bytes takes a quarter of that.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAGE = 4096  # nothing lies below
WORDS = {"f": np.uint32, "?": np.uint8}  # compared as numbers without a sign or NaN
Offsets = NDArray[np.int64]  # of each byte wanted, from the object's beginning


class _Memory:
    """All that a process may address, as an array of bytes from PAGE on."""

    __array_interface__: dict[str, Any] = {  # noqa: RUF012
        "data": (PAGE, True), "shape": (2**62,), "typestr": "|u1", "version": 3,
    }  # fmt: skip


MEMORY: NDArray[np.uint8] = np.asarray(_Memory())


def gather(states: Sequence[object], offsets: Offsets, out: NDArray[np.uint8]) -> None:
    """Write the bytes at these offsets of each state into its row of `out`, uint8 [states, bytes]."""
    begins = np.fromiter(map(id, states), np.int64, len(states))
    MEMORY.take(np.add.outer(begins - PAGE, offsets), out=out, mode="clip")  # "raise" would buffer `out`


def find_offsets(states: Sequence[object], codes: str, pack: Callable[[Any], bytes]) -> Offsets | None:
    """Where these objects have what `pack` makes of their attributes; None where that is not clear.

    states: of one type and of random content. codes: of `struct`, f or ? for each element.
    """
    if sys.implementation.name != "cpython" or sys.maxsize < 2**62:
        return None  # there `id` is an address; and it is one of 64 bits
    size = type(states[0]).__basicsize__ & -4  # bytes
    memory = np.array([np.frombuffer(ctypes.string_at(id(state), size), np.uint8) for state in states])
    wanted = np.array([np.frombuffer(pack(state), np.uint8) for state in states])
    found: list[int] = []
    for code in codes:
        word = np.dtype(WORDS[code])
        first = len(found)
        value = np.ascontiguousarray(wanted[:, first : first + word.itemsize]).view(word)
        places = np.flatnonzero((memory.view(word) == value).all(axis=0))
        if len(places) != 1:
            return None
        begin = int(places[0]) * word.itemsize
        found += range(begin, begin + word.itemsize)
    return np.array(found)
