"""What processes and their threads have cost so far, by /proc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid: int) -> float:
    """User and system time of the process, all threads; 0 where it is gone."""
    return _seconds(Path(f"/proc/{pid}/stat"))


def thread_seconds(pid: int) -> dict[str, float]:
    """The same by the threads' names; those of one name added up."""
    found: dict[str, float] = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        name = (task / "comm").read_text(encoding="utf-8").strip()
        found[name] = found.get(name, 0.0) + _seconds(task / "stat")
    return found


def resident_megabytes(pid: int) -> float:
    """Memory that is its own or shared; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE / 2**20
    except OSError:
        return 0.0


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the least-squares line through (x, y); 0 for fewer than two."""
    if len(points) < 2:
        return 0.0
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed; nan for none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def _seconds(stat: Path) -> float:
    try:
        fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS
