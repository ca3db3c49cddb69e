"""An outlet hands on what comes after an error too: the journal of a night must not end with one record nobody foresaw."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import pytest

from rltui.train.publisher import QueueThread

SOON = 20.0  # seconds


def test_an_error_in_handing_on_is_shown_once_and_the_rest_is_handed_on(capfd: pytest.CaptureFixture[str]) -> None:
    taken: list[int] = []

    def hand_on(item: int) -> None:
        if item % 2:
            raise ZeroDivisionError(f"at {item}")
        taken.append(item)

    outlet = QueueThread("numbers", hand_on)
    outlet.start()
    for item in range(6):
        outlet.put(item)
    assert outlet.drain(SOON)
    assert taken == [0, 2, 4]
    assert outlet.close(SOON)
    shown = capfd.readouterr().err
    assert "ZeroDivisionError: at 1" in shown and "at 3" not in shown


def test_what_comes_while_too_many_wait_is_dropped_and_told_in_its_place() -> None:
    taken: list[int] = []
    outlet = QueueThread("numbers", taken.append, most=3, missed=lambda dropped: -dropped)
    for item in range(5):
        outlet.put(item)
    outlet.start()
    assert outlet.drain(SOON)
    assert taken == [0, 1, 2, -2], "also where nothing comes after it"
    outlet.put(5)
    assert outlet.drain(SOON)
    assert taken == [0, 1, 2, -2, 5]
    assert outlet.close(SOON)


def test_every_gap_is_told() -> None:
    """Held, let go, held again."""
    taken: list[int] = []
    held, go = threading.Event(), threading.Event()

    def hand_on(item: int) -> None:
        held.set()
        assert go.wait(SOON)
        taken.append(item)

    outlet = QueueThread("numbers", hand_on, most=2, missed=lambda dropped: -dropped)
    outlet.start()
    for first in (10, 20):
        held.clear()
        go.clear()
        outlet.put(first)
        assert held.wait(SOON)
        for item in range(first + 1, first + 6):
            outlet.put(item)
        go.set()
        assert outlet.drain(SOON)
    assert taken == [10, 11, 12, -3, 20, 21, 22, -3]
    assert outlet.close(SOON)


def test_two_threads_may_put_something_in_while_it_is_full() -> None:
    """One drops an item while the other's finds room again, in the midst of it."""
    taken: list[int] = []
    outlet = QueueThread("numbers", taken.append, most=0, missed=lambda dropped: -dropped)

    class Overtaken(deque[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            outlet._gap = None

    outlet._items = Overtaken()
    outlet.put(1)
    outlet.put(2)
    outlet.start()
    assert outlet.close(SOON)
    assert taken == [-1, -1]
