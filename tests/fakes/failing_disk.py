"""A disk on which one fsync fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def failing_fsync(monkeypatch: pytest.MonkeyPatch, nth: int) -> Iterator[list[int]]:
    """The nth call says EIO, as with a disk that is dying. Yields a list that is empty until it has."""
    calls, failed = 0, []
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == nth:
            failed.append(nth)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        yield failed
