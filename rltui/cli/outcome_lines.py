"""Lines that begin with `[OK]`, `[WARN]` or `[FAIL]`: coloured and folded on a terminal, else plain and one line each."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TextIO

from rltui.safe_io import writable

MARKS = {"pass": "[OK]", "warn": "[WARN]", "fail": "[FAIL]"}
COLOURS = {"pass": "32", "warn": "33", "fail": "31"}  # green, yellow, red
WIDTH = max(map(len, MARKS.values()))


def say_outcome(outcome: str, text: str, stream: TextIO | None = None) -> None:
    """Write what came of a check, "pass", "warn" or "fail", and the text, whose later lines are set in."""
    out = stream or sys.stdout
    mark, indent = MARKS[outcome].ljust(WIDTH), " " * (WIDTH + 1)
    lines = writable(text, out.encoding or "ascii").split("\n")
    if out.isatty():
        width = max(40, shutil.get_terminal_size().columns - 1)
        lines = [part for line in lines for part in textwrap.wrap(line, width - len(indent)) or [""]]
    if in_colour(out):
        mark = f"\x1b[{COLOURS[outcome]}m{mark}\x1b[0m"
    out.write(f"{mark} " + f"\n{indent}".join(lines) + "\n")


def in_colour(out: TextIO) -> bool:
    """On a terminal that can, unless the user does not want it (no-color.org)."""
    return out.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")
