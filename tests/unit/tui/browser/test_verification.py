"""Hashes: compared once, again when something changed, in the order in which they are asked for."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from pathlib import Path

import pytest

from rltui.runs.inventory import CheckpointInfo, read_checkpoint_info
from rltui.runs.paths import DataDir
from rltui.tui.browser.details import lines
from rltui.tui.browser.library import Library
from rltui.tui.browser.verification import HashChecks, VerificationQueue
from rltui.tui.text import plain
from tests.fakes.saved_runs import make_run


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def entry_of(path: Path) -> CheckpointInfo:
    return dataclasses.replace(read_checkpoint_info(path), run="alpha")


def test_hashes_are_compared_once_and_again_when_something_changed(data: DataDir) -> None:
    folder = make_run(data).checkpoint(1000)
    read: list[Path] = []

    def damage(path: Path) -> str | None:
        read.append(path)
        return "cut" if len(read) > 1 else None

    checks = HashChecks(damage)
    assert checks.verdict(folder) == ("unchecked", "")
    checks.check(folder)
    checks.check(folder)
    assert (checks.verdict(folder), len(read)) == (("sound", ""), 1)
    (folder / "manifest.sha256").write_bytes(b"x")
    checks.check(folder)
    assert (checks.verdict(folder), len(read)) == (("damaged", "cut"), 2)


def test_what_was_pruned_while_it_was_read_is_gone_and_not_damaged(data: DataDir) -> None:
    paths = make_run(data)
    folder = paths.checkpoint(1000)
    entry = entry_of(folder)

    def pruned(path: Path) -> str | None:
        shutil.rmtree(path)
        return "no manifest"

    checks = HashChecks(pruned)
    checks.check(folder)
    assert checks.verdict(folder) == ("gone", "")
    text = "\n".join(plain([line]) for line in lines(entry, Library(data.root), checks.verdict(folder), 0.0, 100))
    assert "gone (pruned meanwhile)" in text
    assert "damaged" not in text
    assert "✗" not in text


def test_what_is_asked_for_while_another_is_read_comes_next(data: DataDir) -> None:
    paths = sorted(make_run(data).checkpoints.iterdir())
    assert len(paths) > 1
    begun, goes_on = threading.Event(), threading.Event()

    def slowly(path: Path) -> str | None:
        begun.set()
        assert goes_on.wait(30)
        return None

    checks = HashChecks(slowly)
    queue = VerificationQueue(checks)
    assert not queue.put([]) and queue.put(paths[:1])
    reader = threading.Thread(target=lambda: list(queue.read(lambda: True)))
    reader.start()
    assert begun.wait(30)
    assert not queue.put(paths)  # while the state under the cursor is being read: the same thread goes on
    goes_on.set()
    reader.join(30)
    assert [checks.verdict(path)[0] for path in paths] == ["sound"] * len(paths)
    assert not queue.busy and queue.put(paths)


def test_nothing_is_read_once_nobody_wants_to_know(data: DataDir) -> None:
    queue = VerificationQueue(HashChecks(lambda path: pytest.fail(f"{path} was read")))
    assert queue.put([make_run(data).checkpoint(1000)])
    assert list(queue.read(lambda: False)) == [] and not queue.busy
