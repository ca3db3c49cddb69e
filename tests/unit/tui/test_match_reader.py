"""The thread that follows the viewer's match, against a real stream and against ones that fail."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rltui.events import match_frames
from rltui.events.match_frames import Watched
from rltui.supervise.sockets import choose, pack
from rltui.tui.panes.live_match import MatchReader, ViewerStream, open_local
from rltui.view import stream
from rltui.view.stream import MatchStream
from tests.fakes.watched_match import ADDRESS
from tests.fakes.watched_match import watched as frame

WAIT = 10.0  # seconds that a test may take
Follow = Callable[..., tuple[MatchReader, queue.Queue[Watched]]]


class Served(threading.Thread):
    """A viewer that streams the same frame until it is told to end."""

    def __init__(self, folder: Path, shown: Watched) -> None:
        super().__init__(daemon=True)
        self.stream = MatchStream(folder)
        self._shown, self._ends = shown, threading.Event()

    def run(self) -> None:
        while not self._ends.is_set():
            self.stream.offer(lambda: match_frames.encode(self._shown))
            self._ends.wait(0.01)
        self.stream.close()

    def end(self) -> None:
        self._ends.set()
        self.join(WAIT)


class Pieces:
    """A stream that gives these pieces, then waits."""

    def __init__(self, *pieces: bytes | None) -> None:
        self._pieces = list(pieces)
        self.closed = threading.Event()

    def receive(self, timeout: float) -> bytes | None:
        if self._pieces:
            return self._pieces.pop(0)
        self.closed.wait(min(timeout, 0.01))
        return None

    def close(self) -> None:
        self.closed.set()


class Connecting:
    """Hands out these streams, one after the other; whoever asks for more waits until the test is over."""

    def __init__(self, *streams: ViewerStream) -> None:
        self._streams = list(streams)
        self.exhausted, self.over = threading.Event(), threading.Event()

    def __call__(self, address: str) -> ViewerStream:
        if self._streams:
            return self._streams.pop(0)
        self.exhausted.set()
        self.over.wait(WAIT)
        raise ConnectionRefusedError("nobody listens")


@pytest.fixture
def following() -> Iterator[Follow]:
    made: list[tuple[MatchReader, Connecting | None]] = []

    def follow(address: str, connecting: Connecting | None = None) -> tuple[MatchReader, queue.Queue[Watched]]:
        found: queue.Queue[Watched] = queue.Queue()
        reader = MatchReader(address, found.put, 0.0, connecting or open_local)
        made.append((reader, connecting))
        reader.start()
        return reader, found

    yield follow
    for reader, connecting in made:
        reader.stop()
        if connecting is not None:
            connecting.over.set()
        reader.join(WAIT)
        assert not reader.is_alive()


def ended(reader: MatchReader, word: str) -> None:
    """Wait until its problem names this."""
    said = threading.Event()
    for _ in range(int(WAIT * 100)):
        if word in reader.problem:
            return
        said.wait(0.01)
    raise AssertionError(f"{reader.problem!r} says nothing of {word!r}")


def test_frames_of_a_real_stream_arrive_and_a_stream_that_begins_anew_is_followed(
    following: Follow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "new_address", choose)
    served = Served(tmp_path, frame(40))
    served.start()
    reader, found = following(served.stream.address)
    assert found.get(timeout=WAIT) == frame(40)
    served.end()
    ended(reader, "no picture")
    again = Served(tmp_path, frame(90))
    again.start()
    assert again.stream.address == served.stream.address
    while (newest := found.get(timeout=WAIT)) == frame(40):
        pass
    assert newest == frame(90)
    assert reader.problem == ""
    again.end()


def test_of_frames_that_came_together_the_newest_is_shown(following: Follow) -> None:
    both = pack(match_frames.encode(frame(40))) + pack(match_frames.encode(frame(41)))
    stream = Pieces(both[:7], None, both[7:])
    _, found = following(ADDRESS, Connecting(stream))
    assert found.get(timeout=WAIT) == frame(41)
    assert found.empty()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\xff\xff\xff\xff", "a frame of 4294967295 bytes"),
        (pack(b'{"moment": 7}'), "moment"),
        (pack(b"\xff"), "no picture"),
        (b"", "the viewer closed the stream"),
    ],
    ids=["too long", "no match", "no text", "the end"],
)
def test_what_is_no_frame_is_said_and_another_connection_is_tried(following: Follow, content: bytes, word: str) -> None:
    broken = Pieces(content)
    connecting = Connecting(broken)
    reader, found = following(ADDRESS, connecting)
    assert connecting.exhausted.wait(WAIT)
    assert word in reader.problem
    assert broken.closed.is_set()
    assert found.empty()


def test_where_nobody_listens_it_says_so(following: Follow, tmp_path: Path) -> None:
    reader, found = following(str(tmp_path / "nobody.sock"))
    ended(reader, "no picture")
    assert found.empty()
