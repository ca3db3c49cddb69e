"""What holds for all tests."""

from __future__ import annotations

import gc


def pytest_runtest_teardown() -> None:
    """Commands that open the interface switch the collection of garbage off until its first picture."""
    gc.enable()
