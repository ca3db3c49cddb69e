"""Room in shared memory, looked at before it is taken: whoever writes where there is none is ended without a word."""

from __future__ import annotations

import shutil
from pathlib import Path

from rltui.errors import RltuiError
from rltui.formatting import size

FOLDER = Path("/dev/shm")  # of Linux; elsewhere nobody says how much there is


def check_free(needed: int, what: str, hint: str) -> None:
    """needed: bytes. RltuiError naming need and room where there are fewer; what: says for what, `rollouts need`."""
    if not FOLDER.is_dir():
        return
    free = shutil.disk_usage(FOLDER).free
    if needed > free:
        raise RltuiError(f"{what} {size(needed)} of shared memory, {FOLDER} has {size(free)} free", hint)
