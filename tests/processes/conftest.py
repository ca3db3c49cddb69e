"""Real training processes for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.training import Training


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Training]:
    """A tiny run that the test starts; nothing of it is left behind."""
    run = Training(tmp_path)
    try:
        yield run
    finally:
        run.kill_all()
