"""run_app: start to exit code."""

from __future__ import annotations

import ctypes
import os
import sys

from rltui.runs.paths import DataDir
from rltui.supervise.guardian import Lifeline
from rltui.tui.app import RltuiApp
from rltui.tui.ascii import needs_ascii
from rltui.tui.settings import load, ui_path

# glibc gives each thread a heap of its own, where what is freed is of no use to the others, and once a large block was freed
# it takes blocks as large from the heap, where small ones keep their place from being given back: memory grows for hours.
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3  # of malloc.h
_LARGE = 128 * 1024  # bytes, glibc's first idea of a large block


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
    use_one_heap()
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


def use_one_heap() -> None:
    """Memory that is freed is used again, or given back. For before the first thread; nothing happens with another C library."""
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if set_option is not None:
            set_option(_ARENA_MAX, 1)
            set_option(_MMAP_THRESHOLD, _LARGE)
