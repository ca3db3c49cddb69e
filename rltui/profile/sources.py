"""The files of users' own that a profile's components come from, and what was in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from rltui import safe_io
from rltui.profile.components import placed
from rltui.profile.lessons import lessons
from rltui.profile.models import Profile
from rltui.profile.resolved import resolved
from rltui.registry import TABLE_FILES, is_module


def source_hashes(profile: Profile) -> dict[str, str]:
    """`reward touch.py:Touch` → 16 hex digits of its file, for every component of the user's own; absolute paths do not
    count, for a folder may move. Of a table's file the signature tells already.
    """
    found: dict[str, str] = {}
    for kind, name in _own(profile):
        file, _, attribute = name.rpartition(":")
        content = _content(Path(file))
        if content is not None:
            found[f"{kind} {Path(file).name}:{attribute}"] = hashlib.sha256(content).hexdigest()[:16]
    return found


def _own(profile: Profile) -> Iterator[tuple[str, str]]:
    for taught in lessons(profile):
        for part in placed(resolved(taught)):
            source = part.name.rpartition(":")[0]
            if source and not is_module(source) and not part.name.lower().endswith(TABLE_FILES):
                yield part.kind, part.name


def _content(path: Path) -> bytes | None:
    try:
        return safe_io.read_bytes(path)
    except OSError:
        return None
