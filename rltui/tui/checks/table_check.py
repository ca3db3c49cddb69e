"""What a child `rltui lut --json` says of an action table, remembered by the files' content.

Examining a table plays cars in the simulator; that happens in the child, never here.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Literal

import msgspec

from rltui.runs.saver import POLICY_FILE
from rltui.tui.checks.child import Run, run_child
from rltui.tui.checks.profile_check import content_hash


class TableFinding(msgspec.Struct, frozen=True):
    """One check, as the child reports it."""

    outcome: Literal["pass", "warn", "fail"]
    sentence: str


class TableVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The child's report. problem: why there is none."""

    subject: str = ""
    outcome: Literal["pass", "warn", "fail"] = "pass"
    table_hash: str | None = None
    legality: str | None = None
    checks: list[TableFinding] = []
    controls: list[
        list[float | None]
    ] = []  # [rows][8], in the order throttle, steer, pitch, yaw, roll, jump, boost, handbrake
    words: list[str] = []  # of each row
    problem: str = ""


_decoder = msgspec.json.Decoder(TableVerdict)


class TableChecker:
    """Verdicts on profiles, tables and checkpoints' folders; one child for each whose content it has not seen."""

    def __init__(self, run: Run | None = None) -> None:
        """run: command → its standard output, for tests."""
        self._run = run or run_child
        self._known: dict[tuple[str, str], TableVerdict] = {}

    def check(self, path: Path, again: bool = False) -> TableVerdict:
        """Blocks for a second or two; call it from a thread. again: also where the content is known, for what it names may
        have changed.
        """
        key = str(path), content_hash(path / POLICY_FILE if path.is_dir() else path)
        if again or key not in self._known:
            self._known[key] = self._ask(path)
        return self._known[key]

    def _ask(self, path: Path) -> TableVerdict:
        try:
            return _decoder.decode(self._run([sys.executable, "-m", "rltui", "lut", str(path), "--json"]))
        except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
            return TableVerdict(subject=str(path), problem=f"the table could not be examined: {error}")
