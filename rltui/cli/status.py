"""rltui status: its command line; what it reads and says needs msgspec and stands in `run_status`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json, add_run, named_or_newest_run
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.runs.paths import RunPaths


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "status", "show how a run is doing", "rltui status alpha")
    add_run(parser, "the newest")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the state of a run. RltuiError (exit 1) where there is no such run."""
    from rltui.cli.output import json_text
    from rltui.cli.run_status import read_status, status_lines
    from rltui.runs.paths import data_dir

    paths: RunPaths = named_or_newest_run(data_dir(args.data_dir), args.run)
    status = read_status(paths)
    if args.json:
        say(json_text(status.document()))
    else:
        say("\n".join(status_lines(status)))
    return 0
