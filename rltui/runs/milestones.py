"""Milestone clock; pins and notes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.atomic import make_folder, replace_file
from rltui.runs.meta import milestone_label
from rltui.runs.paths import RunPaths


class MilestoneClock:
    """Says when a boundary of `interval` timesteps has been crossed since `last`, also after a resume."""

    def __init__(self, interval: int, last: int = 0) -> None:
        """interval: timesteps, at least 1. last: the timesteps that training starts from."""
        if interval < 1:
            raise RltuiError(f"milestone_interval must be at least 1, found {interval}", exit_code=2)
        self._interval = interval
        self._passed = last // interval

    def crossed(self, timesteps: int) -> str | None:
        """The label of the highest boundary crossed since the last call; None where there is none."""
        passed = timesteps // self._interval
        if passed <= self._passed:
            return None
        self._passed = passed
        return milestone_label(passed * self._interval)


class MilestoneMark(msgspec.Struct, frozen=True):
    """What people say of one milestone."""

    pinned: bool = False
    released: bool = False  # also blocks deletion
    note: str = ""


class _MilestoneMarks(msgspec.Struct):
    schema: int = 1
    marks: dict[str, MilestoneMark] = {}


_decoder = msgspec.json.Decoder(_MilestoneMarks)


def read_marks(paths: RunPaths) -> dict[str, MilestoneMark]:
    """The marks by milestone (`Phase1-BallTouching/005M`); empty without a file. RltuiError for one that is damaged."""
    try:
        return _decoder.decode(safe_io.read_bytes(paths.milestones_json)).marks
    except FileNotFoundError as error:
        if not paths.milestones_json.is_symlink():
            return {}
        raise RltuiError(f"{paths.milestones_json} is a link to nothing", "mend it or move it away") from error
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = safe_io.reason(error) if isinstance(error, OSError | ValueError) else str(error)
        raise RltuiError(f"{paths.milestones_json} cannot be read: {reason}", "mend it or move it away") from error


def change_mark(paths: RunPaths, milestone: str, change: Callable[[MilestoneMark], MilestoneMark]) -> MilestoneMark:
    """Change one milestone's mark from what it is now, the others kept; returns the new one. One that says nothing is
    left out. RltuiError where the file is damaged (it is left alone) or read-only.
    """
    try:
        with _alone(paths.folder):
            marks = read_marks(paths)
            mark = change(marks.pop(milestone, MilestoneMark()))
            if mark != MilestoneMark():
                marks[milestone] = mark
            content = msgspec.json.format(msgspec.json.encode(_MilestoneMarks(marks=marks)), indent=1) + b"\n"
            replace_file(paths.milestones_json, content)
    except OSError as error:
        raise RltuiError(f"cannot write {paths.milestones_json}: {error.strerror or error}") from error
    return mark


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process changes marks meanwhile, so that none is lost. Windows cannot lock a folder. Raises OSError."""
    make_folder(folder)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
