"""`rltui info`: where everything is and what was detected. Attach it to a bug report."""

from __future__ import annotations

import argparse

from rltui.cli import options


def add_parser(subparsers: options.Subparsers) -> None:
    parser = options.command(
        subparsers, "info", "say where everything is and what was detected here", "rltui info --json"
    )
    options.add_data_dir(parser)
    options.add_json(parser)
    parser.add_argument("--gpu", action="store_true", help="ask torch about the GPU too (takes seconds)")


def run(args: argparse.Namespace) -> int:
    """Print the findings."""
    import json

    from rltui.cli.machine import as_lines, findings
    from rltui.runs.paths import data_dir
    from rltui.safe_io import say

    found = findings(data_dir(args.data_dir), ask_torch=args.gpu)
    say(json.dumps(found, indent=2) if args.json else "\n".join(as_lines(found)))
    return 0
