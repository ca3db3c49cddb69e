"""The real program on a terminal, in which a key does what nobody foresaw."""

from __future__ import annotations

import sys
from pathlib import Path

from rltui.runs.paths import DataDir
from rltui.supervise.guardian import Lifeline, guarded
from rltui.tui.app import RltuiApp, run_until_left
from rltui.tui.dependencies import Dependencies


def fail(app: RltuiApp) -> None:
    raise RuntimeError("nobody foresaw this")


def open_it(lifeline: Lifeline) -> int:
    RltuiApp.action_help = fail  # type: ignore[method-assign]
    return run_until_left(RltuiApp(DataDir(Path("data")), dependencies=Dependencies(lifeline=lifeline)), lifeline)


if __name__ == "__main__":
    sys.exit(guarded(open_it))
