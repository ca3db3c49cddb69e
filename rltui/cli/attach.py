"""`rltui attach`: open the cockpit on a run that trains, or look at one that has ended."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rltui.cli import options

if TYPE_CHECKING:
    from rltui.supervise.lifeline import Lifeline

MORE = "A run that trains is joined, and goes on when you leave with q; one that has ended is shown from disk."


def add_parser(subparsers: options.Subparsers) -> None:
    parser = options.command(subparsers, "attach", "open the cockpit on a run", "rltui attach alpha --readonly", MORE)
    options.add_run(parser, "the newest")
    options.add_data_dir(parser)
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII only")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    parser.add_argument("--readonly", action="store_true", help="look only: no key acts on the training")


def run(args: argparse.Namespace) -> int:
    """Open the cockpit. RltuiError where there is no such run (1) or no terminal, or Textual is told what it cannot do (2)."""
    from rltui.supervise.guardian import guarded

    return guarded(lambda lifeline: _open(args, lifeline))


def _open(args: argparse.Namespace, lifeline: Lifeline) -> int:
    from rltui.tui import first_picture

    first_picture.begun()
    from rltui.cli import chosen_run
    from rltui.cli.cockpit import go_easy_over_ssh, need_terminal
    from rltui.runs.paths import data_dir

    data = data_dir(args.data_dir)
    name: str = chosen_run.newest(data, args.run).name
    need_terminal(f"ask with: rltui status {name}")
    go_easy_over_ssh()
    from rltui.tui.program import run_app

    return run_app(data, name, args.readonly, ascii_only=args.ascii, mouse=not args.no_mouse, lifeline=lifeline)
