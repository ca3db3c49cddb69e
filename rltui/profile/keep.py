"""What a run keeps of its profile: the file as used, with everything that it refers to beside it."""

from __future__ import annotations

from rltui.profile.locate import SUFFIX
from rltui.profile.models import PhaseEntry, Profile
from rltui.profile.name_line import with_name
from rltui.profile.render import render


def kept(profile: Profile, file_name: str) -> dict[str, str]:
    """Texts by file name: the profile's under `file_name`, its name in the first line, and beside it those of a campaign's
    phases, which it names.

    Read from one folder they are the same campaign again, whatever becomes of the originals.
    """
    names = _names(profile, file_name.removesuffix(SUFFIX))
    entries = tuple(
        entry.model_copy(update={"profile": name}) for entry, name in zip(profile.curriculum.phases, names, strict=True)
    )
    return {
        file_name: with_name(render(_with_phases(profile, entries)), profile.name),
        **{f"{name}{SUFFIX}": render(phase) for name, phase in zip(names, profile.phases, strict=True)},
    }


def _with_phases(profile: Profile, entries: tuple[PhaseEntry, ...]) -> Profile:
    return profile.model_copy(update={"curriculum": profile.curriculum.model_copy(update={"phases": entries})})


def _names(profile: Profile, taken: str) -> list[str]:
    """The phases' own names; two different profiles of one name, or of the campaign's, get a number behind it."""
    found: list[str] = []
    owners: dict[str, object] = {taken: profile.path}
    for phase in profile.phases:
        name, number = phase.name, 1
        while owners.setdefault(name, phase.path) != phase.path:
            number += 1
            name = f"{phase.name}-{number}"
        found.append(name)
    return found
