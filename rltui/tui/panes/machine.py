"""Pane on the machine, and the thread that samples for it: processor, memory, disk, GPU, processes."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from textual.message import Message

from rltui import formatting
from rltui.run_state.snapshot import RunSnapshot
from rltui.supervise.gpus import GpuLoad
from rltui.tui.background import Newest
from rltui.tui.dependencies import Program, Sampler
from rltui.tui.panes.machine_probe import MachineProbe, MachineSample, ProcessLoad, Room
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, beside, clean, crop, ends, pad, wrap
from rltui.tui.widgets.bars import progress_bar
from rltui.tui.widgets.list_view import ScrollableLines

INTERVAL = 1.5  # seconds: a reading costs a few milliseconds
FIRST = 0.3  # seconds from the first reading, which knows no rates, to the second
LABEL, BAR = 10, 30
SIDE_BY_SIDE, GAP = 70, 3  # columns
ROOMY = 10  # rows in which everything has its place, side by side
FULL = 0.9  # share from which a figure stands out
LEVELS = "▁▂▃▄▅▆▇█"
TRACKER = "resource tracker"  # multiprocessing's own, idle all the time

Deliver = Callable[[MachineSample], None]


class MachineSampler:
    """start and stop as often as wanted; whoever is slow gets the newest only, for `deliver` decides what it keeps."""

    def __init__(self, folder: Path, written: Callable[[], int | None]) -> None:
        """folder: the data's; written: bytes sent to the terminal so far."""
        self._folder, self._written = folder, written
        self._probe: MachineProbe | None = None  # kept, so that the disk's trend survives a look elsewhere
        self._roles: Mapping[int, str] = {}
        self._end: threading.Event | None = None

    def want(self, roles: Mapping[int, str]) -> None:
        """Who is who, by process id, from the next reading on."""
        self._roles = roles

    def start(self, deliver: Deliver) -> None:
        """Begin to deliver, from another thread; nothing where it does so already."""
        if self._end is not None:
            return
        self._end = threading.Event()
        threading.Thread(target=self._run, args=(deliver, self._end), name="machine sampler", daemon=True).start()

    def stop(self) -> None:
        """End soon; does not wait."""
        if self._end is not None:
            self._end.set()
            self._end = None

    @property
    def running(self) -> bool:
        return self._end is not None

    def _run(self, deliver: Deliver, end: threading.Event) -> None:
        try:
            pause = FIRST
            while not end.is_set():
                sample = self._read()
                if not end.is_set():
                    deliver(sample)
                end.wait(pause)
                pause = INTERVAL
        except Exception as error:  # a thread that dies must be seen, whatever killed it
            if not end.is_set():
                deliver(MachineSample(time=time.time(), problem=error))

    def _read(self) -> MachineSample:
        if self._probe is None:
            self._probe = MachineProbe(self._folder, self._written)
        return self._probe.read(self._roles)


class MachinePane(Pane, ScrollableLines):
    """Sampled here, while it is on screen, and not by the trainer."""

    NUMBER = "m"
    SLOT = "table"
    ROOMY_SLOT = "side"
    NAME = "Machine"
    SHORT = "Machine"
    WANTS = ROOMY
    EMPTY = "Reading processor, memory, disk, GPU and processes …"
    HELP = (
        "Read every 1.5 s on this machine while the pane is shown. A process's CPU is in % of one core; its memory "
        "includes what it shares. load: processes that wanted a core, mean of 1, 5 and 15 minutes. When the disk will be "
        "full is known after a minute of falling free space. The last lines are the cost of this screen: close panes or "
        "detach to save it. GPU figures: pip install nvidia-ml-py."
    )

    class Sampled(Message):
        """A new sample waits in the inbox."""

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.sample: MachineSample | None = None
        self.sampler: Sampler | None = None
        self._inbox: Newest[MachineSample] = Newest()
        self._host = socket.gethostname()

    def on_show(self) -> None:
        app = cast(Program, self.app)
        if self.sampler is None:
            self.sampler = (app.dependencies.sampler or MachineSampler)(app.data.root, lambda: app.bytes_written)
        if self.view is not None:
            self.sampler.want(self._roles(self.view.snapshot))
        self.sampler.start(self._deliver)

    def on_hide(self) -> None:
        if self.sampler is not None:
            self.sampler.stop()

    def on_unmount(self) -> None:
        self.on_hide()

    def _deliver(self, sample: MachineSample) -> None:
        """From the sampler's thread: one message, however many samples come before it is handled."""
        if self._inbox.put(sample):
            self.post_message(self.Sampled())

    def on_machine_pane_sampled(self) -> None:
        self.sample = self._inbox.take() or self.sample
        if self.view is not None:
            self.show(self.view)

    def _roles(self, snapshot: RunSnapshot) -> dict[int, str]:
        """The trainer, its workers and what plays its evaluation, where they run here; this program and its guardian."""
        roles: dict[int, str] = {}
        header = snapshot.header
        if header is not None and header.host == self._host and not snapshot.ended:
            roles[header.pid] = "trainer"
            roles |= {
                row.pid: f"worker {row.worker}"
                for row in snapshot.workers
                if row.pid is not None and row.pid != header.pid
            }
            if snapshot.evaluation is not None and snapshot.evaluation.pid is not None:
                roles[snapshot.evaluation.pid] = "evaluation"
        roles[os.getpid()] = "this program"
        if cast(Program, self.app).guarded:
            roles[os.getppid()] = "its guardian"
        return roles

    def has_nothing(self, view: View) -> bool:
        return self.sample is None

    def depends(self, view: View) -> object:
        if self.sampler is not None:
            self.sampler.want(self._roles(view.snapshot))
        return self.sample, self._elsewhere(view.snapshot)

    def _elsewhere(self, snapshot: RunSnapshot) -> str:
        """The trainer's machine, where that is another one."""
        header = snapshot.header
        return header.host if header is not None and header.host != self._host else ""

    def subtitle(self, view: View) -> str:
        if self.sample is None:
            return ""
        return f"[$muted]{clean(self._host)} · at {formatting.clock(self.sample.time)}[/]"

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        sample = self.sample
        if sample is None:
            return []
        if sample.problem is not None:
            return wrap(f"✗ The machine cannot be read: {self.in_words(sample.problem)}", width, "bad")
        if width >= SIDE_BY_SIDE:
            half = (width - GAP) // 2
            machine, *others = self._parts(view, (half, width - GAP - half), tight=height < ROOMY)
            return self.window(beside([machine, _joined(others, apart=False)], [half, width - GAP - half], GAP), height)
        lines = _joined(self._parts(view, (width, width), tight=False), apart=True)
        if len(lines) > height:
            lines = _joined(self._parts(view, (width, width), tight=True), apart=False)
        return self.window(lines, height)

    def _parts(self, view: View, widths: tuple[int, int], tight: bool) -> list[list[Line]]:
        """The machine, then the rest. widths: of either; tight: without what is seldom looked at."""
        sample = self.sample
        if sample is None:
            return []
        left, right = widths
        host = self._elsewhere(view.snapshot)
        elsewhere = wrap(f"The trainer runs on {host}; this is {self._host}.", right, "warn") if host else []
        parts = [_machine(sample, left, tight), elsewhere, _processes(sample, right, tight), _cost(sample, right)]
        return [found for part in parts if (found := list(part))]


def _joined(parts: list[list[Line]], apart: bool) -> list[Line]:
    """One below the other; apart: with an empty line between them."""
    lines = [line for part in parts for line in ([*part, ()] if apart else part)]
    return lines[:-1] if apart else lines


def _machine(sample: MachineSample, width: int, tight: bool) -> Iterator[Line]:
    busy = None if sample.cpu is None else sample.cpu / 100
    yield _gauge("CPU", busy, f"{_percent(sample.cpu)} of {formatting.plural(len(sample.cores), 'core')}", width)
    yield from _cores(sample.cores, width)
    if not tight:
        load = "  ".join(f"{value:.2f}" for value in sample.load) if sample.load else formatting.UNKNOWN
        yield _fact("load", load, width)
    yield _room("memory", sample.memory, width)
    for name, room in (("swap", sample.swap), ("/dev/shm", sample.shared)):
        if room is not None and room.total and (not tight or (room.share or 0.0) >= FULL):
            yield _room(name, room, width)
    yield from _disk(sample, width)
    yield from _gpus(sample, width)


def _disk(sample: MachineSample, width: int) -> Iterator[Line]:
    disk = sample.disk
    if disk is None:
        yield _fact("disk", formatting.UNKNOWN, width)
        return
    yield _gauge("disk", disk.share, f"{formatting.size(disk.free)} free of {formatting.size(disk.total)}", width)
    if sample.disk_full_in is not None:
        yield _fact("", f"fills in about {formatting.remaining(sample.disk_full_in)}", width, "warn")


def _cores(cores: tuple[float, ...], width: int) -> Iterator[Line]:
    """One column a core, as many lines as that takes."""
    room = max(width - LABEL, 1)
    for start in range(0, len(cores), room):
        part = cores[start : start + room]
        text = "".join(LEVELS[min(int(core / 100 * len(LEVELS)), len(LEVELS) - 1)] for core in part)
        exact = "  " + " ".join(f"{core:.0f} %" for core in part) if len(cores) <= 8 else ""
        yield crop(
            ((pad("each core" if not start else "", LABEL), "muted"), (text, "series-1"), (exact, "muted")), width
        )


def _gpus(sample: MachineSample, width: int) -> Iterator[Line]:
    if not sample.gpus:
        yield _fact("GPU", sample.gpu_note or formatting.UNKNOWN, width, "muted")
    for index, gpu in enumerate(sample.gpus):
        yield _gauge(f"GPU {index}", None if gpu.use is None else gpu.use / 100, _gpu(gpu), width)
        used = Room(gpu.memory_used, (gpu.memory_total or 0) - gpu.memory_used, gpu.memory_total or 0) if gpu.memory_used is not None else None  # fmt: skip
        yield _room("", used, width)
        yield _fact("", clean(gpu.name), width, "muted")


def _gpu(gpu: GpuLoad) -> str:
    heat = "" if gpu.temperature is None else f"  {gpu.temperature:.0f} °C"
    return f"{_percent(gpu.use)}{heat}"


def _processes(sample: MachineSample, width: int, tight: bool) -> Iterator[Line]:
    columns = "    pid   CPU   memory"
    yield crop(((pad("process", max(width - len(columns), 8)), "muted"), (columns, "muted")), width)
    for process in sample.processes:
        if tight and process.role == TRACKER:
            continue
        yield ends(
            ((" " * process.depth + clean(process.role), "strong" if not process.depth else ""),),
            (
                (f"{process.pid:>7}", "muted"),
                (f"{_percent(process.cpu):>6}", ""),
                (f"{formatting.size(process.rss):>9}", ""),
            ),
            width,
        )
    if not any(process.role == "trainer" for process in sample.processes):
        yield (("no trainer of this run here", "muted"),)


def _cost(sample: MachineSample, width: int) -> Iterator[Line]:
    """What it costs to look."""
    mine: list[ProcessLoad] = [one for one in sample.processes if one.role in ("this program", "its guardian")]
    known = [one.cpu for one in mine if one.cpu is not None]
    cpu = sum(known) if known else None
    share = formatting.UNKNOWN if cpu is None else f"{cpu:.1f} % of one core"
    yield from wrap(
        f"This screen costs {share} and writes {_rate(sample.written_per_second)} to the terminal.", width, "muted"
    )


def _gauge(name: str, share: float | None, text: str, width: int) -> Line:
    bar = min(max(width - LABEL - len(text) - 2, 0), BAR)
    role = "warn" if share is not None and share >= FULL else "series-1"
    return crop(((pad(name, LABEL), "muted"), *progress_bar(share, bar, role), (f"  {text}", "")), width)


def _room(name: str, room: Room | None, width: int) -> Line:
    if room is None:
        return _fact(name, formatting.UNKNOWN, width)
    return _gauge(name, room.share, f"{formatting.size(room.used)} of {formatting.size(room.total)}", width)


def _fact(name: str, text: str, width: int, role: str = "") -> Line:
    return crop(((pad(name, LABEL), "muted"), (text, role)), width)


def _percent(value: float | None) -> str:
    return formatting.UNKNOWN if value is None else f"{value:.0f} %"


def _rate(value: float | None) -> str:
    return formatting.UNKNOWN if value is None else f"{formatting.size(value)}/s"
