"""A machine without a machine: the sampler that a test tells what to find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rltui.tui.panes.machine_probe import MachineSample, ProcessLoad, Room
from tests.fakes import run_story

GIGA = 1_000_000_000
SAMPLE = MachineSample(
    time=run_story.now_of() - 1, cpu=97.0, cores=(96.0, 98.0), load=(2.1, 1.84, 1.2),
    memory=Room(12 * GIGA, 4 * GIGA, 16 * GIGA), swap=Room(0, 2 * GIGA, 2 * GIGA), shared=Room(12_000_000, 52_000_000, 64_000_000),
    disk=Room(58 * GIGA, 212 * GIGA, 270 * GIGA),
    processes=(ProcessLoad("trainer", 4242, 98.4, 402_000_000), ProcessLoad("worker 0", 4300, 95.0, 71_000_000, 1),
               ProcessLoad("worker 1", 4377, 94.0, 72_000_000, 1), ProcessLoad("this program", 5151, 1.2, 64_000_000)),
    gpu_note="no NVIDIA GPU seen", written_per_second=830.0,
)  # fmt: skip


class FakeSampler:
    """Delivers when told to, and at once where it has a sample to begin with. A World's `sampler`: the class itself."""

    def __init__(self, folder: Path, written: Callable[[], int | None]) -> None:
        self.folder, self.written = folder, written
        self.roles: Mapping[int, str] = {}
        self.starts = self.stops = 0
        self.running = False
        self.sample: MachineSample | None = SAMPLE
        self._deliver: Callable[[MachineSample], None] = lambda sample: None

    def want(self, roles: Mapping[int, str]) -> None:
        self.roles = roles

    def start(self, deliver: Callable[[MachineSample], None]) -> None:
        if not self.running:
            self.running, self.starts, self._deliver = True, self.starts + 1, deliver
            if self.sample is not None:
                deliver(self.sample)

    def stop(self) -> None:
        self.running, self.stops = False, self.stops + self.running

    def give(self, sample: MachineSample) -> None:
        if self.running:
            self._deliver(sample)
