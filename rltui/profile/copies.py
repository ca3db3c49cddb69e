"""Copies of a profile: those stored with a run, and new ones written from a template or another profile."""

from __future__ import annotations

from pathlib import Path

from rltui.errors import RltuiError
from rltui.profile.edit import edit
from rltui.profile.load import load
from rltui.profile.locate import SUFFIX, with_name_line
from rltui.profile.models import PhaseEntry, Profile
from rltui.profile.render import render
from rltui.profile.save import label_for, new_path, unwritable
from rltui.profile.source import read_source
from rltui.profile.toml_text import toml_string


def saved_copies(profile: Profile, file_name: str) -> dict[str, str]:
    """Texts by file name: the profile's under `file_name`, its name in the first line, and beside it those of a campaign's
    phases, which it names.

    Read from one folder they are the same campaign again, whatever becomes of the originals.
    """
    names = _names(profile, file_name.removesuffix(SUFFIX))
    entries = tuple(
        entry.model_copy(update={"profile": name}) for entry, name in zip(profile.curriculum.phases, names, strict=True)
    )
    return {
        file_name: with_name_line(render(_with_phases(profile, entries)), profile.name),
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


STARTER = {
    "description": "Drive to the ball and touch it.",
    "phase": 1,
    "resets": ({"kind": "kickoff", "weight": 0.5}, {"kind": "random", "weight": 0.5, "cars_on_ground": True}),
    "rewards": {name: {"weight": w} for name, w in (("touch", 1.0), ("speed_toward_ball", 0.05), ("face_ball", 0.01))},
    "ppo": {"iteration": 10_000, "learning_rate": 2e-4},
}


def write_new_profile(name: str, source: str | None = None) -> Path:
    """Write ./profiles/NAME.toml and return its path. Raises RltuiError, exit code 2, for a bad name or an existing file."""
    path = new_path(name)
    text = starter_text(path.stem) if source is None else copy_text(source, path.stem)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise RltuiError(f"{path} exists already", "choose another name; nothing was written", exit_code=2) from error
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def starter_text(name: str) -> str:
    """A profile that learns to touch the ball, every key written out and explained."""
    return render(Profile.model_validate({**STARTER, "label": label_for(name)}))


def copy_text(source: str, name: str) -> str:
    """The text of a valid profile, comments and all, with a label of its own. Raises ProfileError when it is not valid."""
    path = load(source).path
    if path is None:
        raise RltuiError(f"{source}: comes from no file", exit_code=2)
    text = read_source(path, str(path)).text
    return edit(text, {"label": toml_string(label_for(name))})
