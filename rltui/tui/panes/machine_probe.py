"""Readings of the machine by psutil and NVML (`supervise.gpus`), both imported in the thread that samples."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from rltui.supervise.gpus import GpuLoad, Gpus

if TYPE_CHECKING:
    import psutil

LONG_ENOUGH = 60.0  # seconds of watching before a trend of the disk is worth a word
SHRUNK = 1_000_000  # bytes that must have gone meanwhile
STEADY = 0.5  # correlation below which the free room only wanders
NEVER = 30 * 86400.0  # seconds: later than that is not said
DISK_POINTS = 400  # readings that the disk's trend is seen in: ten minutes of them
SHARED = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class ProcessLoad:
    """One process. cpu: % of one core since the sample before. depth: below whom it stands in the tree."""

    role: str
    pid: int
    cpu: float | None
    rss: int | None  # bytes
    depth: int = 0


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
    problem: Exception | None = None  # why there is no sample


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


class MachineProbe:
    """Reads the machine. folder: whose disk matters. written: bytes sent to the terminal so far, None where nobody counts."""

    def __init__(self, folder: Path, written: Callable[[], int | None], gpus: Gpus | None = None) -> None:
        import psutil  # 20 ms: not before somebody looks

        self._psutil = psutil
        self._folder, self._written, self._gpus = folder, written, gpus or Gpus()
        self._processes: dict[int, psutil.Process] = {}
        self._disk: deque[tuple[float, float]] = deque(maxlen=DISK_POINTS)
        self._before: tuple[float, int | None] | None = None  # monotonic seconds, bytes written
        self._first = True
        self._measured: set[int] = set()  # those whose CPU is known from the reading before

    def read(self, roles: Mapping[int, str]) -> MachineSample:
        """Now. roles: who is who by process id; what they have started is found."""
        gpus, per_core = self._gpus.read(), tuple(self._psutil.cpu_percent(percpu=True))
        first, self._first = self._first, False
        disk = _room(self._folder)
        return MachineSample(
            time=time.time(),
            cpu=None if first or not per_core else sum(per_core) / len(per_core),
            cores=() if first else per_core,
            load=_load_average(),
            memory=self._memory(),
            swap=self._swap(),
            shared=_room(SHARED) if SHARED.is_dir() else None,
            disk=disk,
            disk_full_in=self._full_in(disk),
            processes=tuple(self._loads(roles)),
            gpus=gpus,
            gpu_note=self._gpus.note,
            written_per_second=self._rate(),
        )

    def _loads(self, roles: Mapping[int, str]) -> Iterator[ProcessLoad]:
        """Everybody named, each followed by the children that are not."""
        seen: set[int] = set()
        for pid, role in roles.items():
            process = self._process(pid)
            if process is None or pid in seen:
                continue
            seen.add(pid)
            yield self._load(process, role, 1 if role.startswith(("worker", "evaluation")) else 0)
            for child in self._children(process):
                if child.pid not in seen and child.pid not in roles:
                    seen.add(child.pid)
                    yield self._load(self._processes.setdefault(child.pid, child), self._role(child), 1)
        self._processes = {pid: process for pid, process in self._processes.items() if pid in seen}
        self._measured &= seen

    def _process(self, pid: int) -> psutil.Process | None:
        known = self._processes.get(pid)
        if known is not None and known.is_running():
            return known
        try:
            self._measured.discard(pid)
            self._processes[pid] = self._psutil.Process(pid)
        except (self._psutil.Error, ValueError):
            self._processes.pop(pid, None)
            return None
        return self._processes[pid]

    def _load(self, process: psutil.Process, role: str, depth: int) -> ProcessLoad:
        known = process.pid in self._measured
        try:
            with process.oneshot():
                cpu, rss = process.cpu_percent(), process.memory_info().rss
        except self._psutil.Error:
            return ProcessLoad(role, process.pid, None, None, depth)
        self._measured.add(process.pid)
        return ProcessLoad(role, process.pid, cpu if known else None, rss, depth)

    def _full_in(self, disk: Room | None) -> float | None:
        if disk is None:
            return None
        self._disk.append((time.monotonic(), disk.free))
        return full_in(list(self._disk))

    def _rate(self) -> float | None:
        """Bytes a second to the terminal."""
        before, now = self._before, (time.monotonic(), self._written())
        self._before = now
        if before is None or before[1] is None or now[1] is None or now[0] <= before[0]:
            return None
        return (now[1] - before[1]) / (now[0] - before[0])

    def _memory(self) -> Room:
        memory = self._psutil.virtual_memory()
        return Room(memory.total - memory.available, memory.available, memory.total)

    def _swap(self) -> Room | None:
        try:
            swap = self._psutil.swap_memory()
        except OSError:  # a container without /proc/vmstat
            return None
        return Room(swap.used, swap.free, swap.total)

    def _children(self, process: psutil.Process) -> list[psutil.Process]:
        try:
            return process.children(recursive=True)
        except self._psutil.Error:
            return []

    def _role(self, process: psutil.Process) -> str:
        """Of a child that nobody named, by its command line."""
        try:
            words = " ".join(process.cmdline())
            if "resource_tracker" in words:
                return "resource tracker"
            return "viewer" if "rltui.view" in words or "rltui/view" in words else process.name()
        except self._psutil.Error:
            return "ended"


def _load_average() -> tuple[float, float, float] | None:
    if sys.platform == "win32":
        return None
    return os.getloadavg()


def _room(path: Path) -> Room | None:
    """Of the file system that holds the path, or its nearest folder that is there."""
    nearest = next((folder for folder in (path, *path.parents) if folder.is_dir()), None)
    if nearest is None:
        return None
    usage = shutil.disk_usage(nearest)
    return Room(usage.used, usage.free, usage.total)
