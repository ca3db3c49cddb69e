"""A small real run: a tiny profile, the real `rltui train` as a subprocess, and ways to wait for what it says."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import psutil

from rltui.events.records import IterationFinished, Record, WorkerStarted
from rltui.runs.journal import JournalTail
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes import warm_start
from tests.fakes.patience import patience
from tests.fakes.phases import small

DEADLINE = 60.0  # seconds: generous, for shared machines; a condition that holds is found within milliseconds
T = TypeVar("T")
_pause = threading.Event()  # never set: a look every 10 ms

TINY = f"""\
schema = 1
label = "Tiny"
phase = 1
description = "Small enough for tests."
milestone_interval = 4096
save_every = 1024
resets = [{{kind = "kickoff"}}]
terminals = [{{kind = "goal"}}, {{kind = "timeout", seconds = 4}}]

[rewards]
touch = 1.0
speed_toward_ball = 0.05

{small()}
[ppo]
iteration = 512
batch = 512
minibatch = 256
"""
TWO_WORKERS = TINY.replace("workers = 1", "workers = 2")


def wait_for(condition: Callable[[], T | None], what: str, seconds: float = DEADLINE) -> T:
    """The first truthy answer; AssertionError naming what was waited for. seconds: of an idle machine."""
    deadline = time.monotonic() + patience(seconds)
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        _pause.wait(0.01)
    raise AssertionError(f"waited {seconds:.0f} s for {what}")


@dataclass
class Training:
    """One `rltui train` process and the journal it writes."""

    folder: Path
    run: str = "tiny"
    profile: str = TINY
    module: str = "rltui"  # what is run instead of the program
    records: list[Record] = field(default_factory=list)
    process: warm_start.Process | None = None
    _tail: JournalTail | None = None

    @property
    def paths(self) -> RunPaths:
        return DataDir(self.folder / "data").run(self.run)

    @property
    def output(self) -> str:
        return (self.folder / "output.txt").read_text(encoding="utf-8", errors="replace")

    def start(self, *options: str, env: dict[str, str] | None = None) -> Training:
        """Start training in a process group of its own, with no standard input."""
        profile = self.folder / "tiny.toml"
        profile.write_text(self.profile, encoding="utf-8")
        arguments = ["train", str(profile), "--run", self.run, "--data-dir", str(self.folder / "data"), *options]
        with (self.folder / "output.txt").open("ab") as output:
            self.process = warm_start.start(self.module, arguments, output.fileno(), {**os.environ, **(env or {})})
        return self

    def poll(self) -> list[Record]:
        """All records so far."""
        if self._tail is None:
            self._tail = JournalTail(self.paths.journal)
        self.records += self._tail.poll()
        return self.records

    def wait_records(self, kind: type[T], count: int = 1, seconds: float = DEADLINE) -> list[T]:
        """At least `count` records of the kind; fails at once when the process has ended without them."""

        def found() -> list[T] | None:
            ended = self.process is not None and self.process.poll() is not None
            matching = [record for record in self.poll() if isinstance(record, kind)]
            if len(matching) < count and ended:
                raise AssertionError(f"ended with {self.process.returncode}: {self.output}")
            return matching if len(matching) >= count else None

        return wait_for(found, f"{count} {kind.__name__}", seconds)

    def iterations(self) -> list[IterationFinished]:
        return [record for record in self.poll() if isinstance(record, IterationFinished)]

    def wait_more_iterations(self, count: int = 3, seconds: float = 30.0) -> None:
        """Continues = at least 3 more iterations within 30 s."""
        self.wait_records(IterationFinished, len(self.iterations()) + count, seconds)

    def check_continues(self) -> None:
        """The same, steps strictly increasing, no row missing or twice."""
        self.wait_more_iterations()
        rows = self.iterations()
        assert [row.iteration for row in rows] == list(range(1, len(rows) + 1))
        assert all(after.timesteps > before.timesteps for before, after in pairwise(rows))

    def worker_pid(self, worker: int) -> int:
        """Of the newest process of that worker."""
        return [r for r in self.wait_records(WorkerStarted) if r.worker == worker][-1].pid

    def wait_end(self, seconds: float = DEADLINE) -> int:
        """The exit code."""
        assert self.process is not None
        return self.process.wait(patience(seconds))

    def kill_all(self) -> None:
        """For the end of a test, whatever happened."""
        if self.process is None:
            return
        children = self.children()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with contextlib.suppress(AssertionError):  # they end by themselves, and free the shared memory
            wait_for(lambda: not any(map(runs, children)) and not self.left_behind(), "the children's end", 5.0)
        for process in (*children, *self.left_behind()):
            _kill(process)

    def left_behind(self) -> list[psutil.Process]:
        """Whoever still runs in the session that the trainer began, also when it has gone itself."""
        assert self.process is not None
        return [
            process for process in psutil.process_iter() if _session(process.pid) == self.process.pid and runs(process)
        ]

    def children(self) -> list[psutil.Process]:
        assert self.process is not None
        return _children(self.process.pid)


def runs(process: psutil.Process) -> bool:
    """Whether it is there and not only a zombie that nobody has fetched."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _kill(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
