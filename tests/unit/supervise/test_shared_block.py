"""Shared memory is handed to a child by descriptor: it has no file."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler

import pytest

from rltui.supervise.shared_memory import FOLDER, SharedBlock

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="no /dev/shm")


@pytest.fixture
def block() -> Iterator[SharedBlock]:
    made = SharedBlock.create(5000)
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
    before = set(FOLDER.iterdir())
    made = SharedBlock.create(4_321_000)
    assert not [path for path in set(FOLDER.iterdir()) - before if path.stat().st_size == 4_321_000]
    made.close()
    made.close()


@on_linux
def test_what_a_child_lets_go_stays_the_creators(block: SharedBlock) -> None:
    passed = pickle.loads(ForkingPickler.dumps(block))
    passed.buf[0] = 9
    passed.close()
    passed.close()
    assert block.buf[0] == 9


def test_it_is_not_let_go_while_an_array_looks_into_it(block: SharedBlock) -> None:
    view = memoryview(block.buf)
    with pytest.raises(BufferError):
        block.close()
    view.release()
