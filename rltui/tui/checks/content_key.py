"""What a verdict on a profile rests on: its own bytes, and the files that it names, such as a reward of one's own."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from rltui import safe_io

NAMED = re.compile(rb"""["']([^"'\n]{1,300}\.\w{1,5})(?::\w+)?["']""")  # "my/touch.py:Touch", "table.csv", "phase.toml"
DEEPEST = 1  # a campaign's phases name rewards of their own, and no phases


def content_key(path: Path) -> str:
    """Another one whenever the profile or a file that it names has changed.

    Empty where it cannot be read; nor is a pipe, which would be waited for for ever.
    """
    try:
        content = safe_io.read_bytes(path)
    except OSError:
        return ""
    stamps = "".join(f"\n{stamp}" for stamp in _stamps(content, path.parent, DEEPEST))
    return hashlib.sha256(content + stamps.encode()).hexdigest()


def _stamps(content: bytes, folder: Path, deepest: int) -> Iterator[tuple[str, int, int]]:
    """(name, time in ns, size in bytes) of each named file that is there, beside the profile or where the program was started.

    deepest: of so many profiles named one by the other, what they name counts too.
    """
    for name in sorted({found.decode(errors="replace") for found in NAMED.findall(content)}):
        for place in (Path(name), folder / name):
            about = _about(place)
            if about is None:
                continue
            yield name, about.st_mtime_ns, about.st_size
            if deepest and place.suffix == ".toml":
                yield from _stamps(_read(place), place.parent, deepest - 1)


def _about(place: Path) -> os.stat_result | None:
    """None where nothing is there."""
    try:
        return place.expanduser().stat()
    except (OSError, ValueError, RuntimeError):  # RuntimeError: ~somebody who is not there
        return None


def _read(place: Path) -> bytes:
    """Empty where it cannot be read."""
    try:
        return safe_io.read_bytes(place.expanduser())
    except OSError:
        return b""
