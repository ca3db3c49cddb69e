"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest

os.environ.setdefault("OPENBLAS_CORETYPE", "")  # nothing is measured, and every process of a test rounds alike


def pytest_configure() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """What has been imported stays, and a test leaves little: searches for garbage would take a fifth of the tests' time."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


def pytest_runtest_teardown() -> None:
    """Commands that open the interface switch the collection of garbage off until its first picture."""
    gc.enable()


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """Commands that are called within a test take the signals over for good, and what a later test starts inherits those ignored."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGTSTP")
    before = {name: signal.getsignal(getattr(signal, name)) for name in names if hasattr(signal, name)}
    yield
    for name, handler in before.items():
        if signal.getsignal(getattr(signal, name)) is not handler:
            signal.signal(getattr(signal, name), handler)
