"""Memory that is freed is used again, or given back.

glibc gives each thread a heap of its own, where what is freed is of no use to the others, and once a large block was freed
it takes blocks as large from the heap, where small ones keep their place from being given back: memory grows for hours.
"""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3  # of malloc.h
_LARGE = 128 * 1024  # bytes, glibc's first idea of a large block


def use_one_heap() -> None:
    """To be called before the first thread starts. Nothing happens where the C library knows no such thing."""
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if set_option is not None:
            set_option(_ARENA_MAX, 1)
            set_option(_MMAP_THRESHOLD, _LARGE)
