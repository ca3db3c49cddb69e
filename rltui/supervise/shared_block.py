"""SharedBlock: shared memory that a child is handed by descriptor, so that it is the child's also where its file is gone.

systemd removes a user's files in /dev/shm when the last session ends (RemoveIPC, on unless an administrator says no), and
people clean up there. Whoever holds the memory keeps it; looked up by name it would not be found.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Callable
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from typing import Any

from rltui.supervise.shared_room import FOLDER


class SharedBlock:
    """Bytes at `buf`. Pickled for a child that is being spawned, it is the same memory there, which the child only lets go."""

    def __init__(self, memory: SharedMemory | mmap.mmap) -> None:
        self._memory = memory
        self._buffer = memoryview(memory if isinstance(memory, mmap.mmap) else memory.buf or b"")
        self._owned = False

    @classmethod
    def create(cls, size: int) -> SharedBlock:
        """size: bytes, all zero. The creator is to unlink it. OSError where the system gives none."""
        made = cls(SharedMemory(create=True, size=size))
        made._owned = True
        return made

    @property
    def buf(self) -> memoryview:
        return self._buffer

    @property
    def name(self) -> str:
        """Of the creator's; a child has none."""
        return self._memory.name if isinstance(self._memory, SharedMemory) else ""

    @property
    def removed(self) -> bool:
        """Whether somebody has taken away the creator's file."""
        return FOLDER.is_dir() and self._owned and not (FOLDER / self.name).exists()

    def close(self) -> None:
        """Let go of it. BufferError while an array still looks into it."""
        self._buffer.release()
        self._memory.close()

    def unlink(self) -> None:
        """The creator's last word: nothing of it is left once all have let go. A second time nothing happens."""
        if not self._owned or not isinstance(self._memory, SharedMemory):
            return
        with contextlib.suppress(OSError):  # nobody would clean up after us
            self._register()
        self._owned = False
        try:
            self._memory.unlink()
        except FileNotFoundError:  # somebody was first; else it would be reported as leaked when the process ends
            with contextlib.suppress(OSError):
                resource_tracker.unregister(f"/{self.name}", "shared_memory")

    def __reduce__(self) -> tuple[Callable[..., SharedBlock], tuple[Any, ...]]:
        descriptor = self._descriptor
        if descriptor < 0:  # Windows, where the memory has no file that could be removed
            return _by_name, (self.name,)
        from multiprocessing.reduction import DupFd  # Windows has none

        self._register()
        return _by_descriptor, (DupFd(descriptor), len(self._buffer))

    @property
    def _descriptor(self) -> int:
        return int(getattr(self._memory, "_fd", -1))

    def _register(self) -> None:
        """multiprocessing's tracker, which removes what a killed creator leaves, may itself have been killed and be a new one."""
        if self._owned and self._descriptor >= 0:
            resource_tracker.register(f"/{self.name}", "shared_memory")


def _by_name(name: str) -> SharedBlock:
    return SharedBlock(SharedMemory(name=name))


def _by_descriptor(passed: Any, size: int) -> SharedBlock:
    """passed: multiprocessing's wrapper of a descriptor that is this process's own from here on."""
    descriptor: int = passed.detach()
    try:
        return SharedBlock(mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)
