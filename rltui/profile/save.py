"""Writing an edited profile: all or nothing, and never over what somebody else has written."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tempfile
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.locate import SUFFIX, user_folder
from rltui.profile.source import MAX_BYTES

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def read_text(path: Path) -> str:
    """As it is, line ends too. RltuiError where it cannot be read as UTF-8."""
    try:
        return safe_io.read_text(path, MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        hint = "a profile is a text file in UTF-8"
        raise RltuiError(f"{path}: cannot be read: {safe_io.reason(error)}", hint, exit_code=1) from error


class ChangedOnDisk(RltuiError):
    """Somebody else has written the file since it was opened."""


def save_text(path: Path, text: str, expected: str) -> None:
    """In the place of the file, all or nothing. ChangedOnDisk where it no longer holds `expected`: nothing is written."""
    if not path.is_file() or read_text(path) != expected:
        raise ChangedOnDisk(f"{path} was changed on disk since it was opened here", "nothing was written")
    _write(path, text, path.stat().st_mode & 0o777)


def save_new(name: str, text: str) -> Path:
    """As ./profiles/<name>.toml, never over another file."""
    path = new_path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path):
            raise RltuiError(f"{path} exists already", "choose another name; nothing was written", exit_code=2)
        _write(path, text, 0o644)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def unwritable(path: Path, error: OSError) -> RltuiError:
    """What to say of a profile that cannot be written."""
    hint = "nothing was changed; make room, or work in a folder that you may write in"
    return RltuiError(f"{path}: cannot be written: {error.strerror or error}", hint)


def new_path(name: str) -> Path:
    """Where a profile of this name goes. RltuiError for what is no name."""
    stem = name.removesuffix(SUFFIX)
    problem = safe_io.new_name_problem(stem) if NAME.fullmatch(stem) else "expected 1 to 80 letters, digits, ., _ and -"
    if problem:
        raise RltuiError(f"{safe_io.clipped(name)} is no name for a profile: {problem}", "as in my-bot", exit_code=2)
    return user_folder() / f"{stem}{SUFFIX}"


def label_for(name: str) -> str:
    """`my-bot` → `MyBot`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))[:40]


def text_diff(before: str, after: str) -> list[str]:
    """A unified diff without its file names, two lines around each change."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
    return list(lines)[2:]


def _write(path: Path, text: str, mode: int) -> None:
    """Beside the file, then renamed over it; of a link, what it leads to."""
    path = safe_io.real(path)
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
