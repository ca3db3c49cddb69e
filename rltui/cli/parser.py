"""The command line as a whole: which commands there are, and what runs when none is named. Parse first, import the work after."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence

from rltui.cli.options import DATA_DIR
from rltui.cli.usage import Parser

Command = Callable[[argparse.Namespace], int]

# A module of rltui.cli each, with add_parser(subparsers) and run(args) -> exit code. At module scope they import no work.
COMMANDS = (
    "train",
    "attach",
    "ls",
    "status",
    "stop",
    "info",
    "milestones",
    "watch",
    "profile",
    "lut",
    "doctor",
    "trace",
    "bench",
)

DESCRIPTION = "Train, watch, debug and ship Rocket League bots from the terminal. Without a command: the launcher."
EXAMPLES = """\
examples:
  rltui                 pick a profile, a run or a milestone; see what starting it does; start it and watch
  rltui doctor          will training work here?
  rltui train quick     a first bot in minutes, in plain lines; the same again goes on where it stopped
  rltui ls              what there is, what is training
  rltui attach          the cockpit on the newest run: charts, log, every control
  rltui watch           see the newest run play itself

rltui COMMAND --help explains each. Exit codes: 0 done, 1 it failed, 2 it was asked for wrongly.
"""


def parse(argv: Sequence[str] | None = None) -> tuple[Command, argparse.Namespace]:
    """What to run, and with what. SystemExit (2) for bad usage, (0) after --help and --version."""
    words = sys.argv[1:] if argv is None else argv
    args = build_parser(_wanted(words)).parse_args(words)
    # `rltui --data-dir D ls` and `rltui ls --data-dir D` mean the same
    args.data_dir = getattr(args, "data_dir", None) or args.data_dir_before
    args.ascii = getattr(args, "ascii", False) or args.ascii_before
    args.no_mouse = getattr(args, "no_mouse", False) or args.no_mouse_before
    name = args.command_name
    command: Command = importlib.import_module(f"rltui.cli.{name or 'cockpit'}").run
    return command, args


def _wanted(words: Sequence[str]) -> Sequence[str]:
    """The commands that these words can mean: where the first names one, no other, which saves importing the others."""
    if not words:
        return ()
    return words[:1] if words[0] in COMMANDS else COMMANDS


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands."""
    parser = Parser(
        prog="rltui", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument("--data-dir", metavar="DIR", dest="data_dir_before", help=DATA_DIR)
    parser.add_argument("--ascii", dest="ascii_before", action="store_true", help="draw the cockpit with ASCII only")
    parser.add_argument(
        "--no-mouse",
        dest="no_mouse_before",
        action="store_true",
        help="leave the mouse to the terminal, to select text",
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command_name")
    for name in commands:
        importlib.import_module(f"rltui.cli.{name}").add_parser(subparsers)
    return parser


class _Version(argparse.Action):
    """Asks for the version only when it is wanted: that costs 40 ms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"rltui {version('rltui')}")
        parser.exit()
