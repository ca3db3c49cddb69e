"""The file that a profile argument means; the name line of copies stored with runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from errno import ENAMETOOLONG
from pathlib import Path

from rltui import safe_io
from rltui.errors import did_you_mean
from rltui.profile.source import Problem, ProfileError

SUFFIX = ".toml"
RUN_FILE, STATE_FILE = "run.toml", "profile.toml"  # in a run's folder, of its newest start; in a saved state's
STORED_FILES = frozenset({RUN_FILE, STATE_FILE})  # the files that are called so whatever the profile's name
_LINE = re.compile(r"# profile: (\S.*)")
# In a checkout a user's own profiles lie in the same folder as these, so the folder alone does not tell.
SHIPPED = frozenset(
    {
        "campaign",
        "cartpole",
        "classic-phase-1",
        "classic-phase-2",
        "classic-phase-3",
        "classic-phase-4",
        "gpu",
        "phase-1-ball-touching",
        "phase-2-bronze-skills",
        "phase-3-silver-skills",
        "phase-4-gold-skills",
        "quick",
        "seed-task",
    }
)


@dataclass(frozen=True)
class ProfileFile:
    """A profile that can be named. shipped: it came with rltui."""

    name: str
    path: Path
    shipped: bool


def user_folder() -> Path:
    """Where a user's own profiles are looked for and written: ./profiles."""
    return Path("profiles")


def shipped_folder() -> Path:
    return packaged("profiles")


def packaged(folder: str) -> Path:
    """A folder that comes with rltui: by its last name inside the installed package, else in a checkout, from its top."""
    package = Path(__file__).resolve().parents[1]
    installed = package / Path(folder).name
    return installed if installed.is_dir() else package.parent / folder


def is_shipped(path: Path) -> bool:
    """Whether the file came with rltui, and stays as it is; a link to such a file is one."""
    whole = safe_io.real(path)
    named = whole.suffix == SUFFIX and whole.stem in SHIPPED
    return named and whole.parent == safe_io.real(shipped_folder())


def list_profiles() -> list[ProfileFile]:
    """All profiles by name, ./profiles before the shipped ones, each name once."""
    found: dict[str, ProfileFile] = {}
    for folder in (user_folder(), shipped_folder()):
        for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
            if path.stem not in found:
                found[path.stem] = ProfileFile(path.stem, path, is_shipped(path))
    return sorted(found.values(), key=lambda listed: listed.name)


def locate(argument: str | Path, beside: Path | None = None) -> Path:
    """The file. A plain name is looked up in ./profiles, then among the shipped; anything else is a path.

    beside: a folder in which names and relative paths are looked up first. `profiles/quick.toml` finds the shipped
    profile too when there is no such file here. ProfileError (exit code 2) names what is nearest.
    """
    text = str(argument)
    path = safe_io.path_of(text)
    plain = path.name == text and path.suffix != SUFFIX
    if beside is not None and _is_there(beside / (f"{text}{SUFFIX}" if plain else path)):
        return beside / (f"{text}{SUFFIX}" if plain else path)
    if plain:
        for folder in (user_folder(), shipped_folder()):
            if _is_there(folder / f"{text}{SUFFIX}"):
                return folder / f"{text}{SUFFIX}"
    if _is_there(path):
        return path
    if path.parent == user_folder() and _is_there(shipped_folder() / path.name):
        return shipped_folder() / path.name
    raise _no_such(text, path)


def _is_there(path: Path) -> bool:
    """Also true for what cannot be looked at: reading it will say why."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        return error.errno != ENAMETOOLONG
    except ValueError:  # a NUL in the path
        return True
    return True


def _no_such(text: str, path: Path) -> ProfileError:
    names = [listed.name for listed in list_profiles()]
    problem = Problem(
        text or '""',
        None,
        "",
        "no such profile",
        expected=f"a file, or one of {', '.join(names)}",
        hint=did_you_mean(path.name.removesuffix(SUFFIX), names),
    )
    return ProfileError(text, [problem])


def with_name_line(text: str, name: str) -> str:
    """The text with the name before it. One that fits no line is left out: then the run's journal and meta.json say it."""
    return f"# profile: {name}\n\n{text}" if name.strip() and name.isprintable() else text


def name_in_text(text: str) -> str | None:
    """The name that stands there; None in a file from before it was written down, or a person's own."""
    found = _LINE.fullmatch(text.partition("\n")[0].rstrip())
    return found[1] if found else None
