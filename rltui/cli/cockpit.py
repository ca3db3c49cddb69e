"""`rltui` without a command: the cockpit."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from rltui.cli import textual_variables
from rltui.errors import RltuiError

if TYPE_CHECKING:
    from rltui.supervise.lifeline import Lifeline


def run(args: argparse.Namespace) -> int:
    """Open the launcher. RltuiError (exit 2) without a terminal, or where Textual is told what it cannot do."""
    need_terminal("train without one: rltui train PROFILE")
    from rltui.supervise.guardian import guarded

    return guarded(lambda lifeline: _open(args, lifeline))


def _open(args: argparse.Namespace, lifeline: Lifeline) -> int:
    from rltui.tui import first_picture

    first_picture.begun()
    go_easy_over_ssh()
    from rltui.runs.paths import data_dir
    from rltui.tui.program import run_app

    return run_app(data_dir(args.data_dir), ascii_only=args.ascii, mouse=not args.no_mouse, lifeline=lifeline)


def need_terminal(instead: str) -> None:
    """RltuiError (exit 2), in one line, when standard input, output or error (on which it draws) is no terminal, or where
    a variable asks Textual for what it cannot do.
    """
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise RltuiError(f"there is no terminal here; {instead}", exit_code=2)
    textual_variables.check(os.environ)


def go_easy_over_ssh() -> None:
    """Draw at most 15 times a second; Textual reads this when it is imported, so call it before."""
    if os.environ.get("SSH_CONNECTION"):
        os.environ.setdefault("TEXTUAL_FPS", "15")
