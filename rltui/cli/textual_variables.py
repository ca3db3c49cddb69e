"""Textual's own variables: what it would choke on is said in our words first. What it takes no notice of is left alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from rltui.errors import RltuiError

COLOR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")
LARGEST = 2**31 - 1  # a number of hundreds of digits is no float
FASTEST = 1000  # pictures a second; from a thousand million on nothing is drawn at all


def check(environ: Mapping[str, str]) -> None:
    """RltuiError (exit 2) naming the variable, what it says and what it may say."""
    for name, expected in _faults(environ):
        raise RltuiError(f"{name} is {environ[name]!r}: expected {expected}", "set it so, or not at all", exit_code=2)


def _faults(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(variable, what it may say)."""
    if environ.get("TEXTUAL_COLOR_SYSTEM", "auto") not in COLOR_SYSTEMS:
        yield "TEXTUAL_COLOR_SYSTEM", f"one of {', '.join(COLOR_SYSTEMS)}"
    if _number(environ, "TEXTUAL_FPS", 1) > FASTEST:
        yield "TEXTUAL_FPS", f"a number of pictures a second, at most {FASTEST}"
    if (seconds := _number(environ, "TEXTUAL_SCREENSHOT", -1)) == 0:
        yield "TEXTUAL_SCREENSHOT", "a number of seconds, at least 1"
    for name in ("TEXTUAL_SCREENSHOT", "TEXTUAL_DIM_FACTOR", "ESCDELAY"):
        if abs(_number(environ, name, 0)) > LARGEST:
            yield name, f"a whole number, at most {LARGEST:,}"
    folder, file = environ.get("TEXTUAL_SCREENSHOT_LOCATION", ""), environ.get("TEXTUAL_SCREENSHOT_FILENAME", "")
    if seconds > 0 and folder and not _writable(_picture(folder, "picture.svg")):
        yield "TEXTUAL_SCREENSHOT_LOCATION", "a folder that can be written in"
    elif seconds > 0 and file and not _writable(_picture(folder, file)):
        yield "TEXTUAL_SCREENSHOT_FILENAME", "a file that can be written"
    if (log := environ.get("TEXTUAL_LOG")) and not _writable(Path(log)):
        yield "TEXTUAL_LOG", "a file that can be written"


def _number(environ: Mapping[str, str], name: str, otherwise: int) -> int:
    """As Textual reads one."""
    try:
        return int(environ[name])
    except (KeyError, ValueError):
        return otherwise


def _picture(folder: str, file: str) -> Path:
    """As Textual joins them."""
    return Path(os.path.expanduser(os.path.join(folder, file)))  # noqa: PTH111, PTH118 - Path's raises for an unknown user


def _writable(file: Path) -> bool:
    """Whether it can be opened at once: a pipe waits for a reader, for ever."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return not os.path.lexists(file) and os.access(file.parent, os.W_OK)
    return (stat.S_ISREG(mode) or stat.S_ISCHR(mode)) and os.access(file, os.W_OK)
