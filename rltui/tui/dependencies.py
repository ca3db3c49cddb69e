"""What the interface takes from outside, for tests to replace: clock, launching, checks by children, sources of records."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rltui.profile.changes import KeyChange
from rltui.runs.paths import DataDir
from rltui.supervise.guardian import Lifeline
from rltui.tui.checks.child import LinesProcess
from rltui.tui.checks.doctor import Measurements, Preflights
from rltui.tui.checks.results import ProfileChecker, TableChecker, profile_differences
from rltui.tui.checks.schema import ReferenceReader
from rltui.tui.checks.text_check import TextChecker

if TYPE_CHECKING:
    from rltui.run_state.other_run import OtherRuns
    from rltui.run_state.reader import RecordSource
    from rltui.runs.launch_plan import LaunchPlan
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.ascii import ChartStyle
    from rltui.tui.settings import UiSettings

Launch = Callable[["LaunchPlan"], "LaunchedTrainer"]


class Sampler(Protocol):
    """Thread that reads the machine."""

    def want(self, roles: Mapping[int, str]) -> None:
        """Who is who, by process id, from the next reading on."""

    def start(self, deliver: Callable[[Any], None]) -> None:
        """Begin to deliver each MachineSample, from another thread."""

    def stop(self) -> None:
        """End soon; does not wait."""


@dataclass(frozen=True)
class LauncherDependencies:
    """reference: of all keys; texts: verdicts on edited texts; preflights: the doctor on one profile; differences: of two
    profiles; measurements: of speed, made by the doctor.
    """

    reference: ReferenceReader = field(default_factory=ReferenceReader)
    texts: TextChecker = field(default_factory=TextChecker)
    preflights: Preflights = field(default_factory=Preflights)
    differences: Callable[[Path, Path], list[KeyChange]] = profile_differences
    measurements: Measurements = field(default_factory=Measurements)


@dataclass(frozen=True)
class Dependencies:
    """None: the real one.

    sources: (run, trainer just launched) → where its news comes from. clock: Unix seconds.
    """

    sources: Callable[[str, LaunchedTrainer | None], RecordSource] | None = None
    launch: Launch | None = None
    checker: ProfileChecker = field(default_factory=ProfileChecker)
    clock: Callable[[], float] = time.time
    tools: LauncherDependencies = field(default_factory=LauncherDependencies)
    tables: TableChecker = field(default_factory=TableChecker)
    other_runs: OtherRuns | None = None  # to compare with
    sampler: Callable[[Path, Callable[[], int | None]], Sampler] | None = None
    evaluator: Callable[[Sequence[str]], LinesProcess] | None = None  # begins games by a command
    lifeline: Lifeline = field(default_factory=Lifeline)  # to the guardian, if there is one


@dataclass(frozen=True)
class ViewOptions:
    """How runs are shown. readonly: look only. charts: how they are drawn. settings: which panes at first, and how smooth."""

    readonly: bool
    charts: ChartStyle
    settings: UiSettings


class Program(Protocol):
    """The app, as a pane sees it that looks at the machine or asks a child."""

    @property
    def data(self) -> DataDir: ...

    @property
    def dependencies(self) -> Dependencies: ...

    @property
    def guarded(self) -> bool: ...

    @property
    def bytes_written(self) -> int | None: ...
