"""`rltui` without a command: the cockpit."""

from __future__ import annotations

import argparse
import sys

from rltui.errors import RltuiError


def run(args: argparse.Namespace) -> int:
    """Open the launcher. RltuiError (exit 2) without a terminal."""
    need_terminal("train without one: rltui train PROFILE")
    from rltui.tui import app

    return app.run(args.data_dir)


def need_terminal(instead: str) -> None:
    """RltuiError (exit 2), in one line, when standard input or output is no terminal."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise RltuiError(f"there is no terminal here; {instead}", exit_code=2)
