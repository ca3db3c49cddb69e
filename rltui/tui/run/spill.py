"""Spill: bytes put aside in a temporary file, so that what is seldom looked at takes no memory."""

from __future__ import annotations

import tempfile
import threading
from typing import BinaryIO


class Spill:
    """The file is made with the first bytes, has no name, and vanishes with the process. For several threads."""

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        self._end = 0
        self._lock = threading.Lock()

    def put(self, content: bytes | memoryview) -> int | None:
        """The place to ask for it; None where the disk takes no more."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(prefix="rltui-", buffering=0)  # noqa: SIM115 (lives as long as we)
                self._file.seek(self._end)
                written = self._file.write(content)
            except OSError:
                return None
            if written != memoryview(content).nbytes:
                return None
            self._end += written
            return self._end - written

    def get(self, place: int, length: int) -> bytes:
        """`length` bytes from `place` on. Raises OSError where the disk fails."""
        with self._lock:
            if self._file is None:
                raise OSError("nothing was put aside")
            self._file.seek(place)
            content = self._file.read(length)
        if len(content) != length:
            raise OSError(f"{len(content)} of {length} bytes put aside can be read")
        return content
