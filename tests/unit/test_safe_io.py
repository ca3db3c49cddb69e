"""Files that become something else, or grow, while they are opened and read."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rltui import safe_io
from tests.fakes.odd_files import KINDS, at_once

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes")


@contextmanager
def meanwhile(act: Callable[[int], object]) -> Iterator[None]:
    """Done over and over, in a thread, with 0, 1, 2 …"""
    over = threading.Event()

    def run() -> None:
        number = 0
        while not over.is_set():
            act(number)
            number += 1

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_file_that_becomes_a_pipe_and_back_is_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words")
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "profile.toml"
    path.write_bytes(b"words")

    def swap(number: int) -> None:
        os.link(tmp_path / ("file" if number % 2 else "pipe"), tmp_path / "next")
        (tmp_path / "next").replace(path)

    seen = list[str]()
    with meanwhile(swap):
        while len(seen) < 3000 or len(set(seen)) < 2:  # both, however the threads take turns
            try:
                seen.append(safe_io.read_text(path))
            except OSError as error:
                seen.append(safe_io.reason(error))
    assert set(seen) == {"words", "it is a pipe, not a file"}


OPENED: dict[str, Callable[[Path], object]] = {"read": safe_io.open_to_read, "append": safe_io.open_to_append}


@pytest.mark.parametrize("how", OPENED)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "socket"])
def test_what_takes_its_place_once_it_was_looked_at_is_refused(
    tmp_path: Path, kind: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither waited for nor left open."""
    path = tmp_path / "trainer.log"
    path.write_bytes(b"words")
    look = safe_io.check

    def swapped_after(path: Path) -> int:
        size = look(path)
        path.unlink()
        KINDS[kind](path)
        return size

    monkeypatch.setattr(safe_io, "check", swapped_after)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with at_once(), pytest.raises(OSError):
        OPENED[how](path)
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_can_be_seen_to_be_no_file_is_not_even_opened(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening can itself do something: a tape is wound back, whoever writes to a pipe goes on."""
    KINDS[kind](tmp_path / "odd")
    opened: list[object] = []
    with monkeypatch.context() as watched:
        watched.setattr(os, "open", lambda *args: opened.append(args))
        with pytest.raises(OSError, match=f"it is a {kind}, not a file"):
            safe_io.open_to_read(tmp_path / "odd")
    assert opened == []


def test_more_than_its_size_says_is_too_large() -> None:
    """Of /proc and of a file that grows."""
    with pytest.raises(OSError, match="too large: 101 bytes; at most 100"):
        safe_io.read_bytes(Path("/proc/self/maps"), 100)


def test_a_size_is_a_problem_where_one_is_given() -> None:
    assert safe_io.problem(Path(__file__)) == safe_io.problem(Path(__file__), 1 << 20) == ""
    assert "too large" in safe_io.problem(Path(__file__), 100)


def test_a_path_that_no_system_has_is_an_error_like_others() -> None:
    assert "null" in safe_io.problem(Path("a\0b"))


def test_a_file_that_grows_is_read_as_far_as_was_meant(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    path.write_bytes(b"x" * 1000)
    with path.open("ab", buffering=0) as file, meanwhile(lambda number: number < 2000 and file.write(b"y" * 1000)):
        for _ in range(200):
            try:
                assert len(safe_io.read_bytes(path, 500_000)) <= 500_000
            except OSError as error:
                assert "too large" in safe_io.reason(error)


@pytest.mark.parametrize("read", [lambda file: file.read(9), lambda file: file.read(), lambda file: list(file)])
def test_what_has_nothing_to_give_yet_is_an_error(read: Callable[[object], object]) -> None:
    """As /proc/kmsg, which looks like a file: a pipe stands in for it, which is let in at no other place."""
    reader, writer = os.pipe2(os.O_NONBLOCK)
    with safe_io.buffered(reader) as file, pytest.raises(BlockingIOError, match="nothing can be read"):
        read(file)
    os.close(writer)
