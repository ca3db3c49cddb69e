"""Shared memory is handed to a child by descriptor: whether its file is still there does not matter."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

from rltui.supervise.shared_block import SharedBlock
from rltui.supervise.shared_room import FOLDER

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="no /dev/shm")


@pytest.fixture
def block() -> Iterator[SharedBlock]:
    made = SharedBlock.create(5000)
    yield made
    made.close()
    made.unlink()


def add_one(block: SharedBlock, pipe: Connection) -> None:
    """A child: counts, says what it found, and ends when told."""
    block.buf[4999] += 1
    pipe.send_bytes(bytes([block.buf[4999], len(block.name)]))
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
    assert child_of(block) == [8, 0] and block.buf[4999] == 8


@on_linux
def test_a_child_has_them_though_the_file_is_removed(block: SharedBlock) -> None:
    assert not block.removed
    (FOLDER / block.name).unlink()
    assert block.removed
    block.buf[4999] = 40
    assert child_of(block) == [41, 0] and block.buf[4999] == 41


@on_linux
def test_what_a_child_lets_go_stays_the_creators(block: SharedBlock) -> None:
    passed = pickle.loads(ForkingPickler.dumps(block))
    passed.buf[0] = 9
    passed.close()
    passed.unlink()
    assert block.buf[0] == 9 and (FOLDER / block.name).exists()
    block.unlink()
    assert not (FOLDER / block.name).exists()
    block.unlink()


def test_it_is_not_let_go_while_an_array_looks_into_it(block: SharedBlock) -> None:
    view = memoryview(block.buf)
    with pytest.raises(BufferError):
        block.close()
    view.release()


@on_linux
def test_a_tracker_that_was_killed_is_no_matter(capfd: pytest.CaptureFixture[str]) -> None:
    """What multiprocessing cleans up with after a killed process; the kernel kills it like any other."""
    tracker: Any = resource_tracker._resource_tracker
    tracker.ensure_running()
    made = SharedBlock.create(100)
    os.kill(tracker._pid, signal.SIGKILL)
    with pytest.warns(UserWarning, match="resource_tracker: process died"):
        pickle.loads(ForkingPickler.dumps(made)).close()
    made.close()
    made.unlink()
    tracker._stop()
    assert "Traceback" not in capfd.readouterr().err
