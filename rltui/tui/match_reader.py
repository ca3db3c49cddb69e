"""The reader thread of a pane that shows the viewer's match: frames of its stream in, the newest one out. Knows no Textual."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from rltui.events import match_frames
from rltui.events.match_frames import Watched
from rltui.supervise import sockets
from rltui.supervise.sockets import FrameError, FrameReader

TRY_AGAIN = 0.5  # seconds between two attempts to connect
LOOK = 0.25  # seconds that it takes at most to notice that it is to end
CONNECT = 1.0  # seconds that an attempt may take


class Stream(Protocol):
    """supervise.byte_stream.ByteStream, as far as it is read."""

    def receive(self, timeout: float) -> bytes | None: ...

    def close(self) -> None: ...


def open_local(address: str) -> Stream:
    """A viewer's local socket. OSError where nobody listens."""
    return sockets.SocketStream(address, CONNECT)


class MatchReader(threading.Thread):
    """publish(frame) is called from this thread, at most every `interval` seconds, with the newest frame; those between
    are passed over. It connects again until it is stopped: the viewer may begin anew at the same address.
    """

    def __init__(
        self,
        address: str,
        publish: Callable[[Watched], None],
        interval: float,
        connect: Callable[[str], Stream] = open_local,
    ) -> None:
        super().__init__(name="reader of the match", daemon=True)
        self.address = address
        self.problem = ""  # why there are no frames; "" while they come
        self._publish, self._interval, self._connect = publish, interval, connect
        self._leaving = threading.Event()

    def stop(self) -> None:
        """Ends the thread soon; does not wait for it."""
        self._leaving.set()

    def run(self) -> None:
        while not self._leaving.is_set():
            try:
                self._follow(self._connect(self.address))
            except (OSError, FrameError, msgspec.DecodeError, UnicodeDecodeError) as error:
                self.problem = f"no picture: {error}"
            self._leaving.wait(TRY_AGAIN)

    def _follow(self, stream: Stream) -> None:
        """Until the stream ends, or nobody wants it any more."""
        frames = FrameReader()
        newest: bytes | None = None
        due = time.monotonic()
        try:
            while not self._leaving.is_set():
                wait = LOOK if newest is None else max(due - time.monotonic(), 0.0)
                data = stream.receive(wait)
                if data == b"":
                    raise ConnectionResetError("the viewer closed the stream")
                newest = next(reversed(frames.feed(data or b"")), newest)
                if newest is not None and time.monotonic() >= due:
                    due = time.monotonic() + self._interval
                    frame, newest = match_frames.decode(newest), None
                    self.problem = ""
                    self._publish(frame)
        finally:
            stream.close()
