"""Can a trainer write here? Asked before anything starts."""

from __future__ import annotations

import errno
import getpass
import os
import sys
import tempfile
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.atomic import TEMPORARY
from rltui.runs.paths import DataDir, RunPaths

WAYS = {
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "make room: your share of that disk is used up",
    errno.EROFS: "have that disk mounted for writing",
}


def check_writable(data: DataDir, run: str | None = None) -> None:
    """Create the data folder where it is missing and try to write in it and in what is there of the run.

    Raises RltuiError (exit 1) naming the path and why; where rights are missing, its owner and who asked.
    """
    try:
        data.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(_nearest(data.root), error) from error
    places = [data.root, data.runs, data.checkpoints, data.milestones, data.checkpoints / ".saving"]
    if run is not None:
        paths = data.run(run)
        places += [paths.folder, paths.checkpoints, paths.milestones]
    for place in places:
        _try(place)
    if run is not None:
        _try_files(data.run(run))


def _try(folder: Path) -> None:
    """Make and remove one folder with one file; a place that is not there yet is its parent's matter."""
    try:
        if not os.path.lexists(folder):
            return
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as inside:
            (Path(inside) / "file").write_bytes(b"1")
    except OSError as error:
        raise _refusal(folder, error) from error


def _try_files(paths: RunPaths) -> None:
    """The files that a trainer goes on writing must be its own to write, too."""
    for path in (paths.journal, paths.log, paths.lock, paths.profile):
        try:
            if os.path.lexists(path):
                safe_io.open_to_append(path).close()
        except OSError as error:
            raise _refusal(path, error) from error


def _nearest(path: Path) -> Path:
    """The path itself where there is something, else its nearest parent that is there."""
    return path if os.path.lexists(path) or path.parent == path else _nearest(path.parent)


def _refusal(path: Path, error: OSError) -> RltuiError:
    """Whose it is matters only where that is why."""
    reason, me = error.strerror or str(error), _user()
    way = WAYS.get(error.errno or 0, "mend that")
    if error.errno in (errno.EACCES, errno.EPERM):
        reason += f" (it belongs to {_owner(path)}; you are {me})"
        way = f"give {me} the right to write there"
    return RltuiError(f"cannot write in {path}: {reason}", f"{way}, or choose another data folder: --data-dir DIR")


def _user() -> str:
    if sys.platform == "win32":
        return getpass.getuser()
    return _name(os.geteuid())


def _owner(path: Path) -> str:
    if sys.platform == "win32":
        return "an unknown owner"
    try:
        return _name(path.stat().st_uid)
    except OSError:
        return "an unknown owner"


def _name(uid: int) -> str:
    if sys.platform == "win32":
        return str(uid)
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
