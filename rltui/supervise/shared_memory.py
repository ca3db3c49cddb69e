"""Shared memory that has no name, and is reserved before it is used."""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

from rltui.errors import RltuiError
from rltui.formatting import size

FOLDER = Path("/dev/shm")  # of Linux; elsewhere nobody says how much there is
ENLARGE = "enlarge /dev/shm (docker: --shm-size=2g)"


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
    def create(cls, size: int, what: str, hint: str, parts: Sequence[tuple[int, int]] = ()) -> SharedBlock:
        """size: bytes, all zero. parts: (first, length) of those that will be used for sure; none: all.

        RltuiError where there is no room for those, with `what` (says for what: `rollouts need`) and `hint`; OSError where
        the system gives none.
        """
        parts = parts or [(0, size)]
        needed = sum(length for _, length in parts)
        check_free(needed, what, hint)
        memory = SharedMemory(create=True, size=size)
        if sys.platform != "win32":  # where it has no file and goes with the last who has it
            memory.unlink()
        try:
            if sys.platform == "linux":  # else whoever comes second is killed by SIGBUS as it writes
                for first, length in parts:
                    os.posix_fallocate(int(getattr(memory, "_fd", -1)), first, length)
        except OSError as error:
            memory.close()
            raise _no_room(needed, what, hint) if error.errno == errno.ENOSPC else error from None
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
    there = free()
    if there is not None and needed > there:
        raise _no_room(needed, what, hint)


def free() -> int | None:
    """Bytes of shared memory; None where nobody says."""
    return shutil.disk_usage(FOLDER).free if FOLDER.is_dir() else None


def room() -> str:
    """How much shared memory there is, in words; empty where nobody says."""
    there = free()
    return "" if there is None else f"{FOLDER} has {size(there)} free"


def _no_room(needed: int, what: str, hint: str) -> RltuiError:
    return RltuiError(f"{what} {size(needed)} of shared memory, {room()}", hint)
