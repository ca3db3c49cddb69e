"""`rltui lut`: what a bot can and cannot do with an action table (lookup table, LUT)."""

from __future__ import annotations

import argparse

from rltui.cli import options

SUBJECT = (
    "a profile, a run, a checkpoint or milestone (alpha/005M, or its folder), a .csv or .npy table, module:function, a "
    "table's name (default: quick)"
)


def add_parser(subparsers: options.Subparsers) -> None:
    parser = options.command(
        subparsers,
        "lut",
        "check what a bot can do with an action table (lookup table, LUT); exit code 1 if it fails",
        "rltui lut my-table.csv",
    )
    parser.add_argument("subject", metavar="PROFILE|RUN|FILE", nargs="?", default="quick", help=SUBJECT)
    parser.add_argument("--all", action="store_true", help="show what passed too")
    options.add_data_dir(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """1 when the table fails, 0 when it passes, with or without warnings, and where there is none."""
    from rltui.train.environment import prepare_environment

    prepare_environment()
    from rltui.cli import lut_text
    from rltui.debug.lut import examine
    from rltui.debug.lut_subject import subject
    from rltui.runs.paths import data_dir
    from rltui.safe_io import say

    found = subject(args.subject, data_dir(args.data_dir))
    if found is None:
        say(lut_text.no_table(args.subject, args.json))
        return 0
    report = examine(found.rows, found.options, found.meshes)
    if args.json:
        say(lut_text.as_json(found, report))
    else:
        lut_text.say_report(found, report, args.all)
    return 1 if report.outcome == "fail" else 0
