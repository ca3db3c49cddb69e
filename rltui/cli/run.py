"""rltui run."""

from __future__ import annotations

import argparse
import sys

from rltui.cli.parser import Subparsers, add_data_dir
from rltui.safe_io import say

EXAMPLES = """\
examples:
  rltui run -- python train.py                 in the cockpit; P pauses, C saves, S stops, q leaves it running
  rltui run --run alpha -- python train.py     a run with a name; the same again goes on in it
  rltui run --detach -- python train.py        in the background; watch it: rltui attach
  rltui run --plain -- python train.py         what it prints, as without rltui; so too where there is no terminal

The script stays as it is. Its iteration reports become the run's figures, in charts, ls, status and compare.
Linux and macOS. The exit code is the script's own.
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "run",
        help="watch a training script of rlgym-ppo or rlgym-learn",
        description="Run an unchanged training script of rlgym-ppo or rlgym-learn, and show it as a run.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="rltui run [options] -- COMMAND …",
    )
    add = parser.add_argument
    add("script", metavar="COMMAND", nargs="+", help="the script's command, behind --")
    add("--run", metavar="NAME", help="name of the run (default: <script>-<n>)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--detach", action="store_true", help="run in the background")
    how.add_argument("--plain", action="store_true", help="print what the script prints, without the cockpit")
    add_data_dir(parser)
    parser.add_argument("--ascii", action="store_true", help="draw in ASCII")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")


def run(args: argparse.Namespace) -> int:
    """The script's exit code where it runs here; RltuiError for what keeps it from starting."""
    from rltui.runs.paths import data_dir
    from rltui.train.script_host import ScriptOptions, check_command, host

    data = data_dir(args.data_dir)
    check_command(args.script)
    on_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if args.plain or not (args.detach or on_terminal):
        return host(ScriptOptions(args.script, data, args.run))
    from rltui.supervise.launch import launched

    name = ["--run", args.run] if args.run is not None else []
    started = launched(["run", "--plain", "--data-dir", str(data.root), *name, "--", *args.script], data)
    if args.detach:
        say(f"run {started.run} goes on in the background (pid {started.pid})")
        say(
            f"watch it: rltui attach {started.run}    stop it: rltui stop {started.run}    log: {data.run(started.run).log}"
        )
        return 0
    from rltui.cli import cockpit

    return cockpit.attach(argparse.Namespace(**{**vars(args), "run": started.run, "readonly": False}))
