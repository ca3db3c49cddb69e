"""Reads the machine by psutil. Rates are since the reading before, so the first one does not know them."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil

from rltui.tui.machine.gpu import Gpus
from rltui.tui.machine.machine import MachineSample, ProcessLoad, Room, full_in

SHARED = Path("/dev/shm")
DISK_POINTS = 400  # readings that the disk's trend is seen in: ten minutes of them


class MachineProbe:
    """folder: whose disk matters. written: bytes sent to the terminal so far, None where nobody counts."""

    def __init__(self, folder: Path, written: Callable[[], int | None], gpus: Gpus | None = None) -> None:
        self._folder, self._written, self._gpus = folder, written, gpus or Gpus()
        self._processes: dict[int, psutil.Process] = {}
        self._disk: deque[tuple[float, float]] = deque(maxlen=DISK_POINTS)
        self._before: tuple[float, int | None] | None = None  # monotonic seconds, bytes written
        self._first = True
        self._measured: set[int] = set()  # those whose CPU is known from the reading before

    def read(self, roles: Mapping[int, str]) -> MachineSample:
        """Now. roles: who is who by process id; what they have started is found."""
        gpus, per_core = self._gpus.read(), tuple(psutil.cpu_percent(percpu=True))
        first, self._first = self._first, False
        disk = _room(self._folder)
        return MachineSample(
            time=time.time(),
            cpu=None if first or not per_core else sum(per_core) / len(per_core),
            cores=() if first else per_core,
            load=os.getloadavg() if sys.platform != "win32" else None,
            memory=_memory(),
            swap=_swap(),
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
        told: set[int] = set()
        for pid, role in roles.items():
            process = self._process(pid)
            if process is None or pid in told:
                continue
            told.add(pid)
            yield self._load(process, role, 1 if role.startswith("worker") else 0)
            for child in _children(process):
                if child.pid not in told and child.pid not in roles:
                    told.add(child.pid)
                    yield self._load(self._processes.setdefault(child.pid, child), _role(child), 1)
        self._processes = {pid: process for pid, process in self._processes.items() if pid in told}
        self._measured &= told

    def _process(self, pid: int) -> psutil.Process | None:
        known = self._processes.get(pid)
        if known is not None and known.is_running():
            return known
        try:
            self._measured.discard(pid)
            self._processes[pid] = psutil.Process(pid)
        except (psutil.Error, ValueError):
            self._processes.pop(pid, None)
            return None
        return self._processes[pid]

    def _load(self, process: psutil.Process, role: str, depth: int) -> ProcessLoad:
        known = process.pid in self._measured
        try:
            with process.oneshot():
                cpu, rss = process.cpu_percent(), process.memory_info().rss
        except psutil.Error:
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


def _memory() -> Room:
    memory = psutil.virtual_memory()
    return Room(memory.total - memory.available, memory.available, memory.total)


def _swap() -> Room | None:
    try:
        swap = psutil.swap_memory()
    except OSError:  # a container without /proc/vmstat
        return None
    return Room(swap.used, swap.free, swap.total)


def _room(path: Path) -> Room | None:
    """Of the file system that holds the path, or its nearest folder that is there."""
    nearest = next((folder for folder in (path, *path.parents) if folder.is_dir()), None)
    if nearest is None:
        return None
    usage = shutil.disk_usage(nearest)
    return Room(usage.used, usage.free, usage.total)


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _role(process: psutil.Process) -> str:
    """Of a child that nobody named, by its command line."""
    try:
        words = " ".join(process.cmdline())
        if "resource_tracker" in words:
            return "resource tracker"
        return "viewer" if "rltui.view" in words or "rltui/view" in words else process.name()
    except psutil.Error:
        return "ended"
