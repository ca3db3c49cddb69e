"""Copies of a profile: those stored with a run, and new ones written from a template or another profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rltui.errors import RltuiError
from rltui.profile.edit import edit
from rltui.profile.load import load
from rltui.profile.locate import SUFFIX, is_shipped, locate, with_name_line
from rltui.profile.models import PhaseEntry, Profile
from rltui.profile.render import render
from rltui.profile.save import label_for, new_path, read_text, save_new, save_text, unwritable
from rltui.profile.source import ProfileError, read_source
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
    """The text of a valid profile, comments and all, its label another. Raises ProfileError when it is not valid."""
    path = load(source).path
    if path is None:
        raise RltuiError(f"{source}: comes from no file", exit_code=2)
    written = read_source(path, str(path))
    is_labelled = "label" in (written.data or {})
    return edit(written.text, {"label": toml_string(label_for(name))} if is_labelled else {})


@dataclass(frozen=True)
class EditedFile:
    """A profile's own file that settings will be written to, or a copy of it that is not there yet."""

    path: Path
    text: str  # as it is now
    is_copy: bool

    @classmethod
    def of(cls, profile: Profile, argument: str, name: str) -> EditedFile:
        """argument: what `profile` was loaded by. name: the same again, or of the copy. RltuiError for a file that stays as
        it is: shipped, read-only, or another profile's.
        """
        try:
            path = locate(name)
        except ProfileError:
            path = new_path(name)
            return cls(path, copy_text(argument, path.stem), True)
        problem = ""
        if is_shipped(path):
            problem = "comes with rltui and stays as it is"
        elif profile.path is None or not path.samefile(profile.path):
            problem = f"is there already, and is not {argument}"
        elif not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK)):
            problem = "is read-only"
        if problem:
            raise RltuiError(
                f"{path.name} {problem}", "choose a new name, for a copy; nothing was written", exit_code=2
            )
        return cls(path, read_text(path), False)

    def write(self, values: Mapping[str, str], by: str) -> None:
        """Keys with their TOML values. A comment behind a value that is replaced spoke of the old one, and says by whom; all
        others are kept. ChangedOnDisk where somebody has written the file meanwhile.
        """
        text = edit(self.text, values, f"set by {by}")
        if self.is_copy:
            save_new(self.path.stem, text)
        else:
            save_text(self.path, text, self.text)
