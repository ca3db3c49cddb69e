"""What commands print: aligned tables, JSON, lines of checks."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, TextIO

import msgspec

from rltui import formatting
from rltui.events.episode_reward import EpisodeReward
from rltui.formatting import over_episodes
from rltui.safe_io import ACTS, one_line, writable

MARKS = {"pass": "[OK]", "warn": "[WARN]", "fail": "[FAIL]"}
COLOURS = {"pass": "32", "warn": "33", "fail": "31"}  # green, yellow, red
WIDTH = max(map(len, MARKS.values()))


def aligned(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as lines with columns two spaces apart; those in `right` end together. A cell is one line, whatever it says."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def number(value: float | None, form: str = ",.0f", unit: str = "") -> str:
    """`12,431,360`, `14,100 steps/s`; a dash for None."""
    return formatting.UNKNOWN if value is None else f"{value:{form}}" + (f" {unit}" if unit else "")


def reward_words(reward: EpisodeReward) -> str:
    """`21.5 over 104 episodes`; a dash where none has ended."""
    return number(reward.mean, ".4g") + over_episodes(reward.episodes, reward.short)


def json_text(value: object) -> str:
    """Indented JSON, in which what acts on a terminal is written as `\\u001b`.

    Half characters, as Python reads odd file names, become question marks.
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_as_text(msgspec.to_builtins(value)))
    return ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.format(encoded, indent=2).decode())


def _as_text(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_as_text(key): _as_text(part) for key, part in value.items()}
        case list() | tuple():
            return [_as_text(part) for part in value]
        case _:
            return value


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
