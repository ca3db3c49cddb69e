"""run_app: start to exit code."""

from __future__ import annotations

import os
import sys

from rltui.runs.paths import DataDir
from rltui.supervise.guardian import Lifeline
from rltui.tui.app import RltuiApp
from rltui.tui.ascii import needs_ascii
from rltui.tui.settings import load, ui_path


def run_app(
    data_dir: DataDir,
    attach: str | None = None,
    readonly: bool = False,
    *,
    ascii_only: bool = False,
    mouse: bool = True,
    lifeline: Lifeline | None = None,
) -> int:
    """Open the launcher, or the cockpit on the run `attach`; returns the exit code when the user has left.

    readonly: look only. ascii_only: also where the terminal could draw more. mouse: False leaves it to the terminal.
    lifeline: to the guardian, if there is one.
    """
    ascii_only = ascii_only or needs_ascii(os.environ)
    lifeline = lifeline or Lifeline()
    ui = load(ui_path())
    app = RltuiApp(data_dir, attach=attach, readonly=readonly, ascii_only=ascii_only, lifeline=lifeline, ui=ui)
    if os.environ.get("SSH_CONNECTION"):
        app.animation_level = "none"
    return run_until_left(app, lifeline, mouse=mouse and ui.settings.mouse)


def run_until_left(app: RltuiApp, lifeline: Lifeline, *, mouse: bool = True) -> int:
    """The exit code: 0, 1 where the interface failed, 128 + N where signal N ended it."""
    with app.watch_terminal:
        words = app.run(mouse=mouse)
        lifeline.left()
    if words:
        print(words)
    if app.panicked or app.return_code == 1:
        print("rltui: the interface failed; a running trainer goes on. Look again: rltui attach", file=sys.stderr)
        return 1
    return app.return_code or 0
