"""Shared memory that has no name, and the check that there is room for it."""

from __future__ import annotations

import mmap
import os
import shutil
import sys
from collections.abc import Callable
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

from rltui.errors import RltuiError
from rltui.formatting import size

FOLDER = Path("/dev/shm")  # of Linux; elsewhere nobody says how much there is


class SharedBlock:
    """Bytes at `buf`. Pickled for a child that is being spawned, it is the same memory there, handed on by descriptor.

    It has no file, so nothing is left once all who have it are gone, also where a whole tree of processes is killed at
    once, with what multiprocessing has to clean up behind it. And nobody can take it away, as systemd does with a user's
    files in /dev/shm when the last session ends (RemoveIPC, on unless an administrator says no).
    """

    def __init__(self, memory: SharedMemory | mmap.mmap) -> None:
        self._memory = memory
        self._buffer = memoryview(memory if isinstance(memory, mmap.mmap) else memory.buf or b"")

    @classmethod
    def create(cls, size: int) -> SharedBlock:
        """size: bytes, all zero. OSError where the system gives none."""
        memory = SharedMemory(create=True, size=size)
        if sys.platform != "win32":  # where it has no file and goes with the last who has it
            memory.unlink()
        return cls(memory)

    @property
    def buf(self) -> memoryview:
        return self._buffer

    def close(self) -> None:
        """Let go of it; a second time nothing happens. BufferError while an array still looks into it."""
        self._buffer.release()
        self._memory.close()

    def __reduce__(self) -> tuple[Callable[..., SharedBlock], tuple[Any, ...]]:
        if sys.platform != "win32":
            from multiprocessing.reduction import DupFd

            return _by_descriptor, (DupFd(int(getattr(self._memory, "_fd", -1))), len(self._buffer))
        return self.by_name()

    def by_name(self) -> tuple[Callable[..., SharedBlock], tuple[Any, ...]]:
        """How Windows hands it on: there it has no file either, and goes with the last who has it open."""
        return _by_name, (self._memory.name if isinstance(self._memory, SharedMemory) else "",)


def _by_name(name: str) -> SharedBlock:
    return SharedBlock(SharedMemory(name=name))


def _by_descriptor(passed: Any, size: int) -> SharedBlock:
    """passed: multiprocessing's wrapper of a descriptor that is this process's own from here on."""
    descriptor: int = passed.detach()
    try:
        return SharedBlock(mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)


def check_free(needed: int, what: str, hint: str) -> None:
    """needed: bytes. RltuiError naming need and room where there are fewer; what: says for what, `rollouts need`."""
    if not FOLDER.is_dir():
        return
    free = shutil.disk_usage(FOLDER).free
    if needed > free:
        raise RltuiError(f"{what} {size(needed)} of shared memory, {FOLDER} has {size(free)} free", hint)
