"""The first line of a profile that a run or a saved state keeps: its name, which the file's own no longer says."""

from __future__ import annotations

import re

RUN_FILE, STATE_FILE = "run.toml", "profile.toml"  # in a run's folder, of its newest start; in a saved state's
KEPT = frozenset({RUN_FILE, STATE_FILE})  # the files that are called so whatever the profile's name
_LINE = re.compile(r"# profile: (\S.*)")


def with_name(text: str, name: str) -> str:
    """The text with the name before it. One that fits no line is left out: then the run's journal and meta.json say it."""
    return f"# profile: {name}\n\n{text}" if name.strip() and name.isprintable() else text


def name_in(text: str) -> str | None:
    """The name that stands there; None in a file from before it was written down, or a person's own."""
    found = _LINE.fullmatch(text.partition("\n")[0].rstrip())
    return found[1] if found else None
