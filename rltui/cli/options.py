"""What several commands' parsers have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

DATA_DIR = "where runs and checkpoints are (default: $RLTUI_DATA, else ./data)"


def command(subparsers: Subparsers, name: str, summary: str, example: str, more: str = "") -> argparse.ArgumentParser:
    """A command's parser: one line of help, and an example under its own --help, after what else is to be said."""
    return subparsers.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"{more}\n\nexample:\n  {example}".lstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", metavar="DIR", help=DATA_DIR)


def add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        metavar="section.key=value",
        action="append",
        default=[],
        dest="overrides",
        help="override one key of the profile; may be repeated",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_run(parser: argparse.ArgumentParser, default: str) -> None:
    """RUN, optional; `default` says in words which run is taken without it."""
    parser.add_argument("run", metavar="RUN", nargs="?", help=f"the run's name; without it {default}")


def at_least(least: int) -> Callable[[str], int]:
    """For argparse: a whole number, 300000, 300_000 or 3e5, not below `least`."""

    def read(text: str) -> int:
        number = float(text)
        if not number.is_integer() or number < least:
            raise argparse.ArgumentTypeError(f"a whole number, at least {least}, found {text!r}")
        return int(number)

    read.__name__ = "whole number"  # argparse names the type in its error: "invalid whole number value"
    return read


def between(least: float, most: float) -> Callable[[str], float]:
    """For argparse: a number from `least` to `most`."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"a number from {least:g} to {most:g}, found {text!r}")
        return number

    read.__name__ = "number"
    return read
