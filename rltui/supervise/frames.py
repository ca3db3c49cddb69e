"""Frames of the control socket: a 4-byte big-endian length, then that many bytes of JSON."""

from __future__ import annotations

import struct

from rltui.events.commands import MAX_FRAME

_HEADER = struct.Struct(">I")


class FrameError(Exception):
    """The other side sent something that is not a frame; the connection must be closed."""


def pack(payload: bytes) -> bytes:
    """One frame. ValueError for a payload above the protocol's cap, which no reader would take."""
    if not 0 < len(payload) <= MAX_FRAME:
        raise ValueError(f"a frame holds 1 to {MAX_FRAME} bytes, not {len(payload)}")
    return _HEADER.pack(len(payload)) + payload


class FrameReader:
    """Bytes in, in any pieces; whole payloads out. Never holds more than one frame's cap and one piece."""

    def __init__(self, cap: int = MAX_FRAME) -> None:
        self._cap = cap
        self._buffer = bytearray()

    @property
    def half(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads that `data` completes. FrameError as soon as a length is empty or above the cap."""
        self._buffer += data
        payloads = []
        at = 0
        while len(self._buffer) - at >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._buffer, at)
            if not 0 < length <= self._cap:
                raise FrameError(f"a frame of {length} bytes (1 to {self._cap} allowed)")
            end = at + _HEADER.size + length
            if len(self._buffer) < end:
                break
            payloads.append(bytes(self._buffer[at + _HEADER.size : end]))
            at = end
        del self._buffer[:at]
        return payloads
