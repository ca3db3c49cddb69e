"""RltuiError (message, hint, exit code), how it is printed, nearest-name suggestions."""

from __future__ import annotations

import difflib
import os
import re
import sys
import traceback
from collections.abc import Iterable
from typing import TextIO

CUTOFF = 0.6  # of difflib's likeness, 0–1
BEGUN = 3  # characters that say enough where only one name begins with them
USERS_PREFIX = "rltui_user_"  # begins the names of modules of users' own files


class RltuiError(Exception):
    """Something a user can act on.

    message: what happened, where (file, line, key, worker), expected and found.
    hint: what to do about it; may be empty.
    exit_code: 1 it failed, 2 bad usage or bad input.
    """

    spoils_exit = False  # of a class: the interpreter's own end would abort the process

    def __init__(self, message: str, hint: str = "", exit_code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
        if hint:
            self.add_note(hint)  # in a traceback, where a user's own script calls

    def __reduce__(self) -> tuple[type[RltuiError], tuple[str, str, int]]:
        return RltuiError, (self.message, self.hint, self.exit_code)


def report(error: RltuiError, stream: TextIO | None = None) -> int:
    """Print the error for a person (ASCII-safe) and return its exit code."""
    from rltui.safe_io import say  # a worker that imports this room has nothing to print

    out = stream or sys.stderr
    say("\n".join([f"rltui: {error.message}", *(f"  {line}" for line in error.hint.splitlines())]), out)
    out.flush()
    return error.exit_code


def in_words(error: BaseException) -> str:
    """What a user's own code raised, on one line: `KeyError: 'ball'`; of an RltuiError its message and hint."""
    if isinstance(error, RltuiError):
        text = f"{error.message}; {error.hint}" if error.hint else error.message
    else:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return re.sub(r"\s+", " ", re.sub(rf"\b{USERS_PREFIX}\w+\.?", "", text)).strip()


def users_line(error: BaseException) -> str:
    """`path/to/my.py:12`, the newest line outside this program and its libraries that the error came through, or ""."""
    own = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is not needed to start
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not f.filename.startswith((own, "<")) and "site-packages" not in f.filename]
    script = bool(theirs) and theirs[-1] is not frames[0]  # the outermost is how the process was started
    return f"{theirs[-1].filename}:{theirs[-1].lineno}" if script else ""


def hung_line(trace: str) -> str:
    """`path/to/my.py:12` from faulthandler's trace: the innermost line outside Python and this program, or else of all."""
    own = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.__file__), "<")  # noqa: PTH100, PTH120
    current = trace.rpartition("Current thread")[2].partition("\n\n")[0]
    frames = [f"{file}:{line}" for file, line in re.findall(r'File "(.+)", line (\d+) in ', current)]
    return next((frame for frame in frames if not frame.startswith(own)), frames[0] if frames else "")


def where_in(error: BaseException, file: str | None) -> str:
    """` (file:line)`, the last line of this file that the error came through, or ""."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    return f" ({file}:{lines[-1]})" if lines else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like it, capitals apart; the only one that begins so; "" where nothing is near."""
    names = {each.casefold(): each for each in known}
    wanted = name.strip().casefold()
    found = difflib.get_close_matches(wanted, names, n=1, cutoff=CUTOFF)
    if not found and len(wanted) >= BEGUN:
        begun = [each for each in names if each.startswith(wanted)]
        found = begun if len(begun) == 1 else []
    return names[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean "batch"?`, which begins a hint; "" where nothing is near."""
    found = nearest(name, known)
    return f'did you mean "{found}"?' if found else ""


def hints(*lines: str) -> str:
    """A hint's lines, one below the other, without the empty ones."""
    return "\n".join(line for line in lines if line)
