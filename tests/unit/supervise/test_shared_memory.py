"""Shared memory is handed to a child by descriptor, for it has no file; on Windows by name."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from multiprocessing.shared_memory import SharedMemory

import pytest

from rltui.errors import RltuiError
from rltui.supervise.shared_memory import FOLDER, SharedBlock

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="no /dev/shm")


@pytest.fixture
def block() -> Iterator[SharedBlock]:
    made = SharedBlock.create(5000, "the test needs", "")
    yield made
    made.close()


def add_one(block: SharedBlock, pipe: Connection) -> None:
    """A child: counts, says what it found, and ends when told."""
    block.buf[4999] += 1
    pipe.send_bytes(bytes([block.buf[4999]]))
    pipe.recv_bytes()
    block.close()


def child_of(block: SharedBlock) -> list[int]:
    """What a spawned child says."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=add_one, args=(block, theirs))
    child.start()
    theirs.close()
    assert ours.poll(60)
    said = list(ours.recv_bytes())
    ours.send_bytes(b"")
    child.join(60)
    assert child.exitcode == 0
    return said


def test_a_child_has_the_same_bytes(block: SharedBlock) -> None:
    block.buf[4999] = 7
    assert child_of(block) == [8] and block.buf[4999] == 8


@on_linux
def test_it_has_no_file_that_could_be_left_or_taken_away() -> None:
    size = 4_000_000 + os.getpid()  # nobody else's
    made = SharedBlock.create(size, "the test needs", "")
    with os.scandir(FOLDER) as entries:
        assert not [entry for entry in entries if entry.is_file() and entry.stat().st_size == size]
    made.close()
    made.close()


@on_linux
def test_where_another_has_taken_the_room_since_the_look_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, first: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(RltuiError, match=r"the test needs 5.0 kB of shared memory, /dev/shm has .* free"):
        SharedBlock.create(5000, "the test needs", "")


@on_linux
def test_what_a_child_lets_go_stays_the_creators(block: SharedBlock) -> None:
    passed = pickle.loads(ForkingPickler.dumps(block))
    passed.buf[0] = 9
    passed.close()
    passed.close()
    assert block.buf[0] == 9
    view = memoryview(block.buf)
    with pytest.raises(BufferError):  # not let go while an array looks into it
        block.close()
    view.release()


def test_windows_hands_it_on_by_name() -> None:
    memory = SharedMemory(create=True, size=64)
    block = SharedBlock(memory)
    opened, arguments = pickle.loads(pickle.dumps(block.by_name()))
    other = opened(*arguments)
    other.buf[63] = 7
    assert block.buf[63] == 7
    other.close()
    block.close()
    memory.unlink()
