"""What the browser needs of the world."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.runs.paths import DataDir
from rltui.tui.browser.hash_checks import HashChecks
from rltui.tui.browser.kept_sorting import KeptSorting
from rltui.tui.checks.profile_check import ProfileChecker
from rltui.tui.symbols import ChartStyle

if TYPE_CHECKING:
    from rltui.tui.screens.launching import Launch


@dataclass(frozen=True)
class Surroundings:
    """run: whose states to begin with. readonly: look only. charts: how they are drawn. sorting: of the time before."""

    data: DataDir
    launch: Launch
    checker: ProfileChecker
    clock: Callable[[], float] = time.time
    checks: HashChecks = field(default_factory=HashChecks)
    run: str = ""
    state: Path | None = None  # to begin at
    readonly: bool = False
    charts: ChartStyle = "braille"
    sorting: KeptSorting = field(default_factory=KeptSorting)

    @property
    def ascii_only(self) -> bool:
        """Whether the terminal can show nothing else."""
        return self.charts == "ascii"
