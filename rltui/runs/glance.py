"""A glance at the disk: whether something there has changed, without reading it. Nothing here raises OSError."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

Stamp = tuple[int, int]


def stamp(path: Path) -> Stamp | None:
    """(modified, in nanoseconds; bytes), which differs once a file was written or a folder has got or lost an entry.

    None where there is nothing.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def entries(folder: Path) -> list[Path]:
    """What lies directly inside, sorted; empty where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found)
    except OSError:
        return []


def free_bytes(root: Path) -> int | None:
    """Of the disk that holds the folder, or will; None where that cannot be told."""
    folder = next((folder for folder in (root, *root.parents) if folder.is_dir()), None)
    try:
        return shutil.disk_usage(folder).free if folder is not None else None
    except OSError:
        return None
