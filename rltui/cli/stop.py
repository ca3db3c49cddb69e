"""`rltui stop`: end a run in good order, from any terminal, and say what happened."""

from __future__ import annotations

import argparse
import sys

from rltui.cli import options

WAIT = 120.0  # seconds; an iteration can last a minute


def add_parser(subparsers: options.Subparsers) -> None:
    parser = options.command(
        subparsers, "stop", "stop a run: finish the iteration, save, end", "rltui stop alpha --now --wait 30"
    )
    options.add_run(parser, "the one that is training")
    options.add_data_dir(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--now", action="store_true", help="do not finish the iteration: save at once and end")
    how.add_argument(
        "--abandon", action="store_true", help="end without saving; a trainer that does not answer is killed"
    )
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        default=WAIT,
        help=f"how long to wait for the end ({WAIT:.0f}); 0 asks and leaves",
    )


def run(args: argparse.Namespace) -> int:
    """Stop the run. 0: it has ended (or, with --wait 0, was asked). RltuiError (1): it runs on."""
    from rltui.cli import chosen_run
    from rltui.cli.stopping import stop
    from rltui.runs.paths import data_dir

    paths = chosen_run.training(data_dir(args.data_dir), args.run)
    stop(paths, "abandon" if args.abandon else "now" if args.now else "finish", args.wait, _say)
    return 0


def _say(line: str) -> None:
    from rltui.safe_io import say

    say(line)
    sys.stdout.flush()  # it may be long until the next line


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.0 <= seconds <= 1e6:
        raise ValueError
    return seconds


_seconds.__name__ = "number of seconds"  # argparse names the type in its error: "invalid number of seconds value: 'x'"
