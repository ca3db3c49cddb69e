"""ViewerChild: the viewer's process as the trainer holds it, with its pipe and its board of weights. Nothing waits for it."""

from __future__ import annotations

import contextlib
import select
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from rltui.supervise.child import start_piped
from rltui.view.stream import WeightsBoard
from rltui.view.viewer_process import (
    Close,
    Failed,
    FromViewer,
    Playing,
    ToViewer,
    ViewerSpec,
    decode_from_viewer,
    encode,
    main,
)

CLOSING = 5.0  # seconds that it has to end by itself once told
WRITTEN = 5_000  # moments of a recording that it writes in a second, of which training leaves it little


@dataclass
class ViewerChild:
    """The process and all that belongs to it alone."""

    process: SpawnProcess
    pipe: Connection
    board: WeightsBoard
    by_hand: dict[str, float]  # reward weights that it knows of
    playing: Playing | None = None
    failure: Failed | None = None
    heard: float = field(default_factory=time.monotonic)  # of its newest word; once it was told to close, of that

    @classmethod
    def start(cls, spec: ViewerSpec, board: WeightsBoard) -> ViewerChild:
        """A fresh process that reads `board`. OSError where the system has no room for it."""
        return cls(*start_piped(main, spec, "viewer"), board, dict(spec.weights))

    def send(self, message: ToViewer) -> None:
        """A viewer that leaves so much unread that sending would wait for it is ended, as its host will find."""
        if not _takes_more(self.pipe):
            self.failure = Failed("it was ended, for it took no more messages (was it stopped?)", "")
            self.process.kill()
            return
        with contextlib.suppress(OSError):  # it is gone, as its host will find
            self.pipe.send_bytes(encode(message))

    def said(self) -> Iterator[FromViewer]:
        """What it has said since, one by one."""
        with contextlib.suppress(EOFError, OSError):
            while self.pipe.poll(0):
                self.heard = time.monotonic()
                yield decode_from_viewer(self.pipe.recv_bytes())

    def close(self) -> None:
        """Tell it to end."""
        self.send(Close())
        self.heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """Of one told to close (time.monotonic()): until then it may end by itself, its recording written."""
        return self.heard + CLOSING + self._recorded / WRITTEN

    @property
    def is_overdue(self) -> bool:
        """Told to close, and still there after its deadline."""
        return time.monotonic() > self.deadline

    def kill(self) -> None:
        """At once, also from a signal's handler."""
        self.process.kill()
        self.board.close()

    def let_go(self) -> None:
        """It has ended: nothing of it stays."""
        self.process.join()
        self.pipe.close()
        self.board.close()

    @property
    def end_words(self) -> str:
        """How it ended by itself: what it said, else its exit code."""
        if self.failure is not None:
            return self.failure.reason
        code = self.process.exitcode
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return f"the viewer ended: {how}"

    @property
    def lost_recording(self) -> str:
        """What went with the process, as a further sentence."""
        return f". Its recording of {self._recorded:,} moments is lost" if self._recorded else ""

    @property
    def _recorded(self) -> int:
        """Moments that its recording holds, as far as it has said so."""
        outputs = self.playing.outputs if self.playing is not None else []
        return sum(output.sent for output in outputs if output.name == "recording")


def _takes_more(pipe: Connection) -> bool:
    """Whether a message of a few hundred bytes can be sent without waiting."""
    if sys.platform == "win32":
        return True
    room = select.poll()
    room.register(pipe, select.POLLOUT)
    return bool(room.poll(0))
