"""Child processes: their answers, and the slot for the newest."""

from __future__ import annotations

import sys

import pytest

from rltui.tui.checks.child import NewestProcess, run_child


def test_running_a_child() -> None:
    assert run_child([sys.executable, "-c", "print('[]'); raise SystemExit(2)"]) == b"[]\n"
    with pytest.raises(OSError, match="no such module"):
        run_child([sys.executable, "-c", "raise SystemExit('no such module')"])


class Process:
    def __init__(self) -> None:
        self.ended = 0

    def end(self) -> None:
        self.ended += 1


def test_whoever_takes_the_slot_ends_the_process_before() -> None:
    slot: NewestProcess[Process] = NewestProcess()
    first, second = Process(), Process()
    slot.replace(first)
    slot.replace(second)
    assert (first.ended, second.ended, slot.current) == (1, 0, second)
    assert not slot.release(first) and slot.release(second)
    slot.replace(None)
    assert (first.ended, second.ended, slot.current) == (1, 0, None)
