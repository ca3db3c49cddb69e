"""What the machine does at one moment, as plain frozen data, and when its disk will be full. Unknown is None. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

LONG_ENOUGH = 60.0  # seconds of watching before a trend of the disk is worth a word
SHRUNK = 1_000_000  # bytes that must have gone meanwhile
STEADY = 0.5  # correlation below which the free room only wanders
NEVER = 30 * 86400.0  # seconds: later than that is not said


@dataclass(frozen=True, slots=True)
class ProcessLoad:
    """One process. cpu: % of one core since the sample before. depth: below whom it stands in the tree."""

    role: str
    pid: int
    cpu: float | None
    rss: int | None  # bytes
    depth: int = 0


@dataclass(frozen=True, slots=True)
class GpuLoad:
    """One GPU. use: %; memory in bytes; temperature in °C."""

    name: str
    use: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """Of a memory or a file system, in bytes. used + free need not be total: some is reserved."""

    used: int
    free: int
    total: int

    @property
    def share(self) -> float | None:
        """0–1 that is used."""
        return self.used / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class MachineSample:
    """All of it. time: Unix seconds; cores: % of each."""

    time: float
    cpu: float | None = None  # % of all cores together
    cores: tuple[float, ...] = ()
    load: tuple[float, float, float] | None = None  # runnable processes, mean of 1, 5, 15 minutes
    memory: Room | None = None
    swap: Room | None = None
    shared: Room | None = None  # /dev/shm
    disk: Room | None = None  # of the data folder
    disk_full_in: float | None = None  # seconds; None where it does not shrink, or nobody can say yet
    processes: tuple[ProcessLoad, ...] = ()
    gpus: tuple[GpuLoad, ...] = ()
    gpu_note: str = ""  # why there are none
    written_per_second: float | None = None  # bytes that this program sends to the terminal
    problem: str = ""  # why there is no sample


def full_in(points: Sequence[tuple[float, float]]) -> float | None:
    """Seconds until nothing is free if it goes on as in these (time, free bytes): free / −slope of the least-squares line.

    None where it was watched too briefly, does not shrink, wanders, or would take more than a month.
    """
    if len(points) < 3 or points[-1][0] - points[0][0] < LONG_ENOUGH or points[0][1] - points[-1][1] < SHRUNK:
        return None
    middle_t, middle_free = fmean(t for t, _ in points), fmean(free for _, free in points)
    tt = sum((t - middle_t) ** 2 for t, _ in points)
    ff = sum((free - middle_free) ** 2 for _, free in points)
    tf = sum((t - middle_t) * (free - middle_free) for t, free in points)
    if tf >= 0 or tf * tf < STEADY * STEADY * tt * ff:
        return None
    seconds = points[-1][1] * tt / -tf
    return seconds if seconds < NEVER else None
