"""What holds for all tests."""

from __future__ import annotations

import gc
import os

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
