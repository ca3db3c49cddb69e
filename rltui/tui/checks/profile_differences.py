"""Where two profiles differ, as the child `rltui profile diff --json` tells it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from rltui.tui.checks.child import Run, run_child

Differences = list[tuple[str, str | None, str | None]]  # key, left, right; None where a side does not have it


class _Difference(msgspec.Struct, frozen=True):
    key: str
    left: str | None = None
    right: str | None = None


class ProfileDifferences:
    """Blocks for half a second; call it from a thread. OSError or ValueError when the child has no answer."""

    def __init__(self, run: Run | None = None) -> None:
        """run: command → its standard output, for tests."""
        self._run = run or run_child

    def __call__(self, left: Path, right: Path) -> Differences:
        command = [sys.executable, "-m", "rltui", "profile", "diff", "--json", str(left), str(right)]
        try:
            found = msgspec.json.decode(self._run(command), type=list[_Difference])
        except subprocess.SubprocessError as error:
            raise OSError(str(error)) from error
        return [(each.key, each.left, each.right) for each in found]
