"""Panes on the live match: the thread that reads it, what is said of the viewer, what is sent of a drawing."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rltui.events import match_frames
from rltui.events.commands import OutputLive
from rltui.events.match_frames import Watched
from rltui.events.records import CLOCK
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import RunSnapshot
from rltui.supervise.sockets import choose, pack
from rltui.tui.panes.live_match import (
    MatchReader,
    ViewerStream,
    learned_at,
    open_local,
    output_words,
    viewer_summary,
    weights_words,
    why_no_match,
)
from rltui.view import stream
from rltui.view.stream import MatchStream
from tests.fakes import run_story
from tests.fakes.watched_match import ADDRESS, viewer
from tests.fakes.watched_match import watched as frame

WAIT = 10.0  # seconds that a test may take
Follow = Callable[..., tuple[MatchReader, queue.Queue[Watched]]]
T = run_story.START
NOW = T + 2 + 40 * run_story.SECONDS + 0.2
OPEN = fold(RunSnapshot(run="alpha", alive=True), [*run_story.opening(), *run_story.iterations(1, 40)])
RUNNING = fold_control(OPEN, run_story.live(NOW), NOW)


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


def test_what_is_no_frame_is_said_and_another_connection_is_tried(subtests: pytest.Subtests, following: Follow) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"\xff\xff\xff\xff", "a frame of 4294967295 bytes"),
        (pack(b'{"moment": 7}'), "moment"),
        (pack(b"\xff"), "no picture"),
        (b"", "the viewer closed the stream"),
    ]
    for content, word in cases:
        with subtests.test(word=word):
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


def test_why_nothing_can_be_seen(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str, str]] = [
        (None, "<render> starts it", "muted"),
        (viewer("starting", address=""), "starting", "busy"),
        (viewer("failed", problem="my.py:3: KeyError: 'ball'"), "my.py:3: KeyError: 'ball'. Trace in the log", "bad"),
        (viewer(address=""), "the log (<log>) says why", "warn"),
    ]  # fmt: skip
    for now, words, role in cases:
        with subtests.test(words=words, role=role):
            said = why_no_match(replace(RUNNING, viewer=now), NOW)  # type: ignore[arg-type]
            assert said is not None
            assert words in said[0]
            assert said[1] == role


def test_while_it_plays_nothing_is_missing() -> None:
    assert why_no_match(replace(RUNNING, viewer=viewer()), NOW) is None


def test_of_a_run_that_has_ended_a_viewer_is_not_believed() -> None:
    ended = fold(replace(RUNNING, viewer=viewer()), [run_story.finished(800_000, NOW)])
    said = why_no_match(ended, NOW)
    assert said is not None and "rltui watch alpha" in said[0]


def test_where_it_goes(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[OutputLive], str, str]] = [
        ([], "viewer plays", "good"),
        ([OutputLive("rocketsimvis", "127.0.0.1:9273", 1204)], "rendering → 127.0.0.1:9273, 1,204 packets", "good"),
        ([OutputLive("rocketsimvis", "127.0.0.1:9273", 1, "refused")], "rendering → 127.0.0.1:9273: refused", "warn"),
        ([OutputLive("recording", "/a/b.npz", 60), OutputLive("rlviser", "", 3)],
         "rendering → recording, 60 moments, rlviser", "good"),
    ]  # fmt: skip
    for outputs, words, role in cases:
        with subtests.test(words=words, role=role):
            assert viewer_summary(viewer(outputs=outputs)) == (words, role)


def test_one_that_has_gone_silent_is_said_to_be() -> None:
    assert viewer_summary(viewer(problem="silent for 7 s")) == ("viewer: silent for 7 s", "warn")


def test_what_is_off_is_not_mentioned_and_what_is_not_well_is() -> None:
    assert viewer_summary(None) is None
    assert viewer_summary(viewer("starting")) == ("viewer starts", "busy")
    assert viewer_summary(viewer("failed", problem="killed")) == ("viewer failed", "bad")


def test_an_output_in_words() -> None:
    assert output_words(OutputLive("rlviser", "/somewhere", 9)) == "rlviser"


def test_whose_weights() -> None:
    assert weights_words(12_431_360, 8.2) == "weights of 12,431,360 timesteps, 8.2 s old"
    assert weights_words(0, None) == "weights of 0 timesteps"


def test_when_weights_were_learned_is_what_the_history_says() -> None:
    iteration = 30
    assert learned_at(OPEN, iteration * run_story.STEPS) == pytest.approx(OPEN.history.columns[CLOCK][iteration - 1])
    assert learned_at(OPEN, iteration * run_story.STEPS + 1) is None
    assert OPEN.header is not None
    assert learned_at(OPEN, OPEN.header.timesteps) == OPEN.header.time
