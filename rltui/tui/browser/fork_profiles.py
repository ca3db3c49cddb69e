"""The profiles that a saved state can be forked with: its own first, which always fits, then all others with what does not.

Reads files; rows are pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rltui.profile.locate import Listed, listing
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir
from rltui.tui.browser.library import Entry
from rltui.tui.browser.starts import kept_profile
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.catalog_reader import read_profile
from rltui.tui.paint import Line, clean

SHORT: Mapping[str, str] = {"observation": "obs", "action table": "table", "policy": "policy", "critic": "critic"}


def profiles_for(data: DataDir, entry: Entry) -> dict[Path, ProfileEntry]:
    """By path, in the order in which they are offered; each is named as a start is told of it."""
    own = kept_profile(data.run(entry.run), entry.path)
    found = {own: read_profile(Listed(str(own), own, False))} if own.is_file() else {}
    return found | {listed.path: read_profile(listed) for listed in listing()}


def shown_name(profile: ProfileEntry, entry: Entry) -> str:
    """The state's own goes by the name that it was trained by, not by its file's."""
    own, meta = profile.name == str(profile.path), entry.meta
    return f"{meta.profile or 'profile'}, its own" if own and meta is not None else profile.name


def misfits(profile: ProfileEntry, meta: Meta | None) -> list[str] | None:
    """Each part that differs, as `action table: expected …, found …`; None while it is not known, or cannot be."""
    wanted = profile.check.signature if profile.check is not None else None
    return wanted.differences(meta.signature) if wanted is not None and meta is not None else None


def row(profile: ProfileEntry, entry: Entry) -> Line:
    """Whether it fits, its name, and what does not: the first part, for the others mostly follow from it."""
    name, different = clean(shown_name(profile, entry)), misfits(profile, entry.meta)
    if profile.check is None:
        return ((" ◌ ", "muted"), (name, "muted"))
    if different == [] and profile.check.valid:
        return ((" ✓ ", "good"), (name, ""))
    part = SHORT.get(different[0].partition(":")[0], "") if different else "not valid"
    return ((" ✗ ", "bad"), (name, "muted"), (f"  {part}", "faint"))
