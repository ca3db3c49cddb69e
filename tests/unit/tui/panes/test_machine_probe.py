"""The machine's figures: the disk's trend by hand, the probe against what is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.tui.panes.machine_probe import MachineProbe, Room, full_in


def falling(seconds: int, per_second: float, start: float = 1e9) -> list[tuple[float, float]]:
    return [(float(t), start - per_second * t) for t in range(0, seconds, 2)]


def test_a_disk_that_fills_says_when() -> None:
    points = falling(101, 1e6)
    assert full_in(points) == pytest.approx(points[-1][1] / 1e6)  # 900 MB at 1 MB/s


def test_a_disk_that_does_not_fill_says_nothing() -> None:
    assert full_in(falling(101, 0)) is None
    assert full_in(falling(101, -1e6)) is None
    assert full_in(falling(41, 1e6)) is None, "watched too briefly"
    assert full_in(falling(101, 5e3)) is None, "half a megabyte is no trend"
    assert full_in(falling(101, 5e4, 1e12)) is None, "more than a month away"
    saw = [(float(t), 1e9 + 5e7 * (t % 10) - 2e4 * t) for t in range(0, 120, 2)]  # pruned as fast as it is written
    assert full_in(saw) is None


def test_the_probe_reads_this_process_and_its_child(tmp_path: Path) -> None:
    written = iter((0, 500))
    probe = MachineProbe(tmp_path / "not" / "there" / "yet", lambda: next(written))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        roles = {os.getpid(): "this program", 2**22 + 1: "nobody"}
        first, second = probe.read(roles), probe.read(roles)
    finally:
        child.communicate(b"\n")
    assert (first.cpu, first.processes[0].cpu, first.written_per_second) == (None, None, None), "no rate yet"
    mine, *others = second.processes
    assert (mine.role, mine.pid, mine.depth) == ("this program", os.getpid(), 0)
    assert mine.cpu is not None and mine.rss is not None and mine.rss > 1e6
    assert child.pid in [process.pid for process in others]
    assert all(process.depth == 1 for process in others)
    assert second.memory is not None and 0 < second.memory.used < second.memory.total
    assert second.disk is not None and second.disk.free > 0, "of the nearest folder that is there"
    assert second.written_per_second is not None and second.written_per_second > 0
    assert second.cpu is not None and len(second.cores) == os.cpu_count()


def test_a_room_of_nothing_has_no_share() -> None:
    assert Room(0, 0, 0).share is None
