"""rltui (the launcher), rltui attach (the cockpit on a run)."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_run, named_or_newest_run
from rltui.errors import RltuiError
from rltui.safe_io import path_of

if TYPE_CHECKING:
    from rltui.supervise.guardian import Lifeline

MORE = "A run in training goes on when you leave with q; one that has ended is shown from disk."
COLOR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")
LARGEST = 2**31 - 1  # a number of hundreds of digits is no float
FASTEST = 1000  # pictures a second; from a thousand million on nothing is drawn at all


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "attach", "open a run's cockpit", "rltui attach alpha --readonly", MORE)
    add_run(parser, "the one started last; where several are training, name one")
    add_data_dir(parser)
    parser.add_argument("--ascii", action="store_true", help="draw in ASCII")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    parser.add_argument("--readonly", action="store_true", help="no key acts on the training")


def run(args: argparse.Namespace) -> int:
    """Open the launcher. RltuiError (exit 2) without a terminal, or where Textual is told what it cannot do."""
    from rltui.supervise.guardian import guarded

    need_terminal("without one: rltui train PROFILE")
    return guarded(lambda lifeline: _open_launcher(args, lifeline))


def attach(args: argparse.Namespace) -> int:
    """Open the cockpit. RltuiError where there is no such run (1) or no terminal, or Textual is told what it cannot do (2)."""
    from rltui.supervise.guardian import guarded

    return guarded(lambda lifeline: _open_cockpit(args, lifeline))


def _open_launcher(args: argparse.Namespace, lifeline: Lifeline) -> int:
    go_easy_over_ssh()
    from rltui.runs.paths import data_dir
    from rltui.tui.app import run_app

    return run_app(data_dir(args.data_dir), ascii_only=args.ascii, mouse=not args.no_mouse, lifeline=lifeline)


def _open_cockpit(args: argparse.Namespace, lifeline: Lifeline) -> int:
    from rltui.runs.paths import data_dir

    data = data_dir(args.data_dir)
    name: str = named_or_newest_run(data, args.run, asks=True).name
    need_terminal(f"without one: rltui status {name}")
    go_easy_over_ssh()
    from rltui.tui.app import run_app

    return run_app(data, name, args.readonly, ascii_only=args.ascii, mouse=not args.no_mouse, lifeline=lifeline)


def need_terminal(instead: str) -> None:
    """RltuiError (exit 2), in one line, when standard input, output or error (on which it draws) is no terminal and no
    browser shows it, or where a variable asks Textual for what it cannot do.
    """
    from rltui.supervise.terminal import in_browser

    if not in_browser(os.environ) and not all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)
    ):
        raise RltuiError(f"no terminal here; {instead}", exit_code=2)
    check_textual_variables(os.environ)


def go_easy_over_ssh() -> None:
    """Draw at most 15 times a second; Textual reads this when it is imported, so call it before."""
    if os.environ.get("SSH_CONNECTION"):
        os.environ.setdefault("TEXTUAL_FPS", "15")


def check_textual_variables(environ: Mapping[str, str]) -> None:
    """RltuiError (exit 2) naming the variable, what it says and what it may say."""
    for name, expected in _faults(environ):
        raise RltuiError(f"{name} is {environ[name]!r}: expected {expected}", "set it so, or unset it", exit_code=2)


def _faults(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(variable, what it may say)."""
    if environ.get("TEXTUAL_COLOR_SYSTEM", "auto") not in COLOR_SYSTEMS:
        yield "TEXTUAL_COLOR_SYSTEM", f"one of {', '.join(COLOR_SYSTEMS)}"
    if _number(environ, "TEXTUAL_FPS", 1) > FASTEST:
        yield "TEXTUAL_FPS", f"pictures per second, at most {FASTEST}"
    if (seconds := _number(environ, "TEXTUAL_SCREENSHOT", -1)) == 0:
        yield "TEXTUAL_SCREENSHOT", "seconds, at least 1"
    for name in ("TEXTUAL_SCREENSHOT", "TEXTUAL_DIM_FACTOR", "ESCDELAY"):
        if abs(_number(environ, name, 0)) > LARGEST:
            yield name, f"a whole number, at most {LARGEST:,}"
    folder, file = environ.get("TEXTUAL_SCREENSHOT_LOCATION", ""), environ.get("TEXTUAL_SCREENSHOT_FILENAME", "")
    if seconds > 0 and folder and not _writable(_picture(folder, "picture.svg")):
        yield "TEXTUAL_SCREENSHOT_LOCATION", "a writable folder"
    elif seconds > 0 and file and not _writable(_picture(folder, file)):
        yield "TEXTUAL_SCREENSHOT_FILENAME", "a writable file"
    if (log := environ.get("TEXTUAL_LOG")) and not _writable(Path(log)):
        yield "TEXTUAL_LOG", "a writable file"


def _number(environ: Mapping[str, str], name: str, otherwise: int) -> int:
    """As Textual reads one."""
    try:
        return int(environ[name])
    except (KeyError, ValueError):
        return otherwise


def _picture(folder: str, file: str) -> Path:
    """As Textual joins them."""
    return path_of(os.path.join(folder, file))  # noqa: PTH118


def _writable(file: Path) -> bool:
    """Whether it can be opened at once: a pipe waits for a reader, for ever."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return not os.path.lexists(file) and os.access(file.parent, os.W_OK)
    return (stat.S_ISREG(mode) or stat.S_ISCHR(mode)) and os.access(file, os.W_OK)
