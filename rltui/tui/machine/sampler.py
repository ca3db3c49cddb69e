"""Sampler: the thread that looks at the machine while somebody looks at the machine's pane. Knows no Textual."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.tui.machine.machine import MachineSample

if TYPE_CHECKING:
    from rltui.tui.machine.probe import MachineProbe

INTERVAL = 1.5  # seconds: a reading costs a few milliseconds
FIRST = 0.3  # seconds from the first reading, which knows no rates, to the second
Deliver = Callable[[MachineSample], None]


class Sampler:
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
                deliver(MachineSample(time=time.time(), problem=f"{type(error).__name__}: {error}"))

    def _read(self) -> MachineSample:
        from rltui.tui.machine.probe import MachineProbe  # with psutil: not before somebody looks

        if self._probe is None:
            self._probe = MachineProbe(self._folder, self._written)
        return self._probe.read(self._roles)
