"""Folders and windows of which nothing outlives the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.fakes.terminal import Terminal
from tests.fakes.tmux import TmuxWindow


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Empty. No trainer of a run in it is left."""
    yield tmp_path
    for process in psutil.process_iter(["cmdline"]):
        if str(tmp_path) in " ".join(process.info["cmdline"] or ()):
            process.kill()


@pytest.fixture
def windows() -> Iterator[list[Terminal | TmuxWindow]]:
    """To close at the end."""
    opened: list[Terminal | TmuxWindow] = []
    yield opened
    for window in opened:
        if isinstance(window, Terminal):
            window.process.kill()
            window.process.wait()
        window.close()
