"""What lies outside the program, and what of the program its panes may ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rltui.runs.paths import DataDir
from rltui.tui.checks.profile_check import ProfileChecker
from rltui.tui.checks.table_check import TableChecker
from rltui.tui.machine.memory import free_megabytes

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.launcher.tools import LauncherTools
    from rltui.tui.machine.sampler import Sampler
    from rltui.tui.run.other_run import OtherRuns
    from rltui.tui.run.run_reader import RunSource
    from rltui.tui.screens.launching import Launch


@dataclass(frozen=True)
class World:
    """For tests to replace. None: the real one.

    sources: (run, trainer just launched) → where its news comes from. clock: Unix seconds. free_memory: MB.
    """

    sources: Callable[[str, LaunchedTrainer | None], RunSource] | None = None
    launch: Launch | None = None
    checker: ProfileChecker = field(default_factory=ProfileChecker)
    clock: Callable[[], float] = time.time
    free_memory: Callable[[], float | None] = free_megabytes
    tools: LauncherTools | None = None
    tables: TableChecker = field(default_factory=TableChecker)
    other_runs: OtherRuns | None = None  # to compare with
    sampler: Callable[[Path, Callable[[], int | None]], Sampler] | None = None


class Program(Protocol):
    """The app, as a pane sees it that looks at the machine or asks a child."""

    @property
    def data(self) -> DataDir: ...

    @property
    def world(self) -> World: ...

    @property
    def guarded(self) -> bool: ...

    @property
    def bytes_written(self) -> int | None: ...
