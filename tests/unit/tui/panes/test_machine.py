"""The machine pane, and the thread that samples for it."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

from rltui.supervise.gpus import GpuLoad
from rltui.tui.background import Newest
from rltui.tui.panes.machine import MachinePane, MachineSampler
from rltui.tui.panes.machine_probe import MachineSample, ProcessLoad, Room
from tests.fakes.drawn_panes import NOW, STORY, drawn

SAMPLE = MachineSample(
    time=NOW - 1, cpu=97.0, cores=(96.0, 98.0), load=(2.1, 1.84, 1.2), memory=Room(15_000_000_000, 1_000_000_000, 16_000_000_000),
    swap=Room(0, 2_000_000_000, 2_000_000_000), shared=Room(12_000_000, 52_000_000, 64_000_000),
    disk=Room(58_000_000_000, 212_000_000_000, 270_000_000_000), disk_full_in=7_440.0,
    processes=(ProcessLoad("trainer", 4242, 98.4, 402_000_000), ProcessLoad("worker 0", 4300, 95.0, 71_000_000, 1),
               ProcessLoad("resource tracker", 4299, 0.0, 14_000_000, 1), ProcessLoad("this program", 5151, 1.2, 64_000_000),
               ProcessLoad("its guardian", 5150, None, 9_000_000)),
    gpu_note="no NVIDIA GPU seen", written_per_second=830.0,
)  # fmt: skip


def machine_pane(sample: MachineSample, host: str = "tower") -> MachinePane:
    pane = MachinePane()
    pane.sample, pane._host = sample, host
    return pane


def test_machine() -> None:
    text = drawn(machine_pane(SAMPLE), STORY, 60)
    for words in (
        "97 % of 2 cores", "██  96 % 98 %", "2.10  1.84  1.20", "15.0 GB of 16.0 GB", "212 GB free of 270 GB",
        "fills in about 2 h 04 min", "no NVIDIA GPU seen", "trainer", " worker 0", "402 MB",
        "This screen costs 1.2 % of one core and writes 830 B/s to", "12 MB of 64 MB",
    ):  # fmt: skip
        assert words in text, text
    assert "–" in next(line for line in text.split("\n") if "its guardian" in line), "unknown is a dash"


def test_machine_leaves_out_the_least_where_there_is_little_room() -> None:
    text = drawn(machine_pane(SAMPLE), STORY, 40, 13)
    assert "trainer" in text and "this program" in text
    assert "load" not in text and "resource tracker" not in text


def test_machine_of_somebody_else() -> None:
    assert "The trainer runs on tower; this is laptop." in drawn(machine_pane(SAMPLE, "laptop"), STORY, 60)


def test_machine_with_a_gpu_and_with_nothing_known() -> None:
    gpu = GpuLoad("NVIDIA RTX 90", 87.0, 30_000_000_000, 80_000_000_000, 61.0)
    text = drawn(machine_pane(replace(SAMPLE, gpus=(gpu,), gpu_note="")), STORY, 60)
    assert "87 %  61 °C" in text and "30.0 GB of 80.0 GB" in text and "NVIDIA RTX 90" in text
    assert "– of 0 cores" in drawn(machine_pane(MachineSample(NOW)), STORY, 60)
    assert "cannot be read: OSError" in drawn(machine_pane(MachineSample(NOW, problem=OSError("gone"))), STORY, 60)


def test_the_sampler_delivers_until_it_is_stopped(tmp_path: Path) -> None:
    inbox: Newest[MachineSample] = Newest()
    came = threading.Event()

    def deliver(sample: MachineSample) -> None:
        inbox.put(sample)
        came.set()

    sampler = MachineSampler(tmp_path, lambda: None)
    sampler.want({os.getpid(): "this program"})
    sampler.start(deliver)
    sampler.start(deliver)  # already running
    assert came.wait(10)
    sampler.stop()
    assert not sampler.running
    sample = inbox.take()
    assert sample is not None and sample.problem is None and sample.processes[0].role == "this program"


def test_a_sampler_that_fails_says_so(tmp_path: Path) -> None:
    came = threading.Event()
    found: list[MachineSample] = []

    def written() -> int:
        raise OSError("the driver is gone")

    def deliver(sample: MachineSample) -> None:
        found.append(sample)
        came.set()

    sampler = MachineSampler(tmp_path, written)
    sampler.start(deliver)
    assert came.wait(10)
    assert str(found[0].problem) == "the driver is gone"
