"""The real program on a terminal, that keys cannot end and that launches nothing: for whoever types at random."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, ClassVar

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.supervise.guardian import Lifeline, guarded
from rltui.supervise.launch import LaunchedTrainer
from rltui.supervise.signals import BY_SIGNAL
from rltui.tui import app
from rltui.tui.app import RltuiApp, run_until_left
from rltui.tui.dependencies import Dependencies
from rltui.tui.launcher.plan import LaunchPlan


class Unshakeable(RltuiApp):
    """Only a signal ends it."""

    CSS_PATH: ClassVar[list[str]] = [str(Path(app.__file__).parent / "styles" / "app.tcss")]

    def exit(self, result: str | None = None, return_code: int = 0, message: Any = None) -> None:
        if return_code >= BY_SIGNAL:
            super().exit(result, return_code, message)


def launch(offer: LaunchPlan) -> LaunchedTrainer:
    raise RltuiError(f"nothing is launched here: {offer.run}")


def open_it(lifeline: Lifeline) -> int:
    viewer = Unshakeable(DataDir(Path("data")), dependencies=Dependencies(launch=launch, lifeline=lifeline))
    return run_until_left(viewer, lifeline)


if __name__ == "__main__":
    sys.exit(guarded(open_it))
