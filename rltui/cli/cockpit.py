"""`rltui` without a command: the cockpit."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rltui.errors import RltuiError

if TYPE_CHECKING:
    from rltui.supervise.lifeline import Lifeline


def run(args: argparse.Namespace) -> int:
    """Open the launcher. RltuiError (exit 2) without a terminal."""
    need_terminal("train without one: rltui train PROFILE")
    from rltui.supervise.guardian import guarded

    return guarded(lambda lifeline: _open(args, lifeline))


def _open(args: argparse.Namespace, lifeline: Lifeline) -> int:
    from rltui.runs.paths import data_dir
    from rltui.tui.app import run_app

    return run_app(data_dir(args.data_dir), ascii_only=args.ascii, lifeline=lifeline)


def need_terminal(instead: str) -> None:
    """RltuiError (exit 2), in one line, when standard input, output or error (on which it draws) is no terminal."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise RltuiError(f"there is no terminal here; {instead}", exit_code=2)
