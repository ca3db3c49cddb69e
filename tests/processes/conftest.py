"""Real training processes for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished
from tests.fakes.forked import quick_disk
from tests.fakes.training import TWO_WORKERS, Training


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Training]:
    """A tiny run that the test starts; nothing of it is left behind."""
    run = Training(tmp_path)
    try:
        yield run
    finally:
        run.kill_all()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on the quickest disk there is, for what is killed and begun again many times."""
    with quick_disk(tmp_path) as folder:
        yield folder


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    """A tiny run of two workers with one iteration behind it, for tests that change nothing of it."""
    run = Training(tmp_path_factory.mktemp("shared"), profile=TWO_WORKERS)
    try:
        run.start().wait_records(IterationFinished)
        yield run
    finally:
        run.kill_all()
