"""Campaigns: profiles that take a bot through others. The phases' profiles are read with the campaign, and their
mistakes are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.profile.components import complete
from rltui.profile.lessons import lessons
from rltui.profile.locate import is_shipped, locate
from rltui.profile.models import Profile
from rltui.profile.problems import KeyPath, Problem, ProfileError, show_key
from rltui.profile.reset_sizes import reset_misfits
from rltui.profile.resolved import OF_PHASES, resolved
from rltui.profile.toml_text import toml_value
from rltui.profile.validation import Finding
from rltui.registry import Component, build

SHARED = ("tick_skip", "action_delay_ticks", "obs", "actions", "policy", "critic")
NAMES = ("label", "phase")  # a campaign may have them: they go unused
Judge = Callable[[Path], tuple[Profile | None, list[Problem]]]


@dataclass
class Phases:
    """The profiles that a campaign names, as far as they can be used; problems are in their files, findings in its own."""

    profiles: list[Profile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether every one of them can be used."""
        return not self.problems and not self.findings


def named_phases(data: Mapping[str, Any]) -> list[tuple[int, str]]:
    """(index, profile) of each phase that raw values name; what is of a wrong type is left to the models."""
    curriculum = data.get("curriculum")
    phases = curriculum.get("phases") if isinstance(curriculum, Mapping) else None
    return [
        (index, entry["profile"])
        for index, entry in enumerate(phases if isinstance(phases, list | tuple) else ())
        if isinstance(entry, Mapping) and isinstance(entry.get("profile"), str) and entry["profile"]
    ]


def read_phases(data: Mapping[str, Any], folder: Path | None, judge: Judge) -> Phases:
    """Every phase's profile, found beside the campaign first. judge: reads one, with its problems."""
    read = Phases(findings=list(_misplaced(data)))
    for index, name in named_phases(data):
        path: KeyPath = ("curriculum", "phases", index, "profile")
        try:
            profile, problems = judge(locate(name, folder))
        except ProfileError as error:
            problem = error.problems[0]
            read.findings.append(Finding(path, problem.message, problem.expected, name, problem.hint))
            continue
        read.problems += [problem for problem in problems if problem not in read.problems]
        if profile is not None:
            read.profiles.append(profile)
    return read


def _misplaced(data: Mapping[str, Any]) -> Iterator[Finding]:
    for key in OF_PHASES:
        if key in data and key not in NAMES:
            yield Finding((key,), "is not used in a campaign: each phase's profile has its own", "no such key here")


def filled(data: Mapping[str, Any], first: Profile) -> dict[str, Any]:
    """A campaign's raw values with what its first phase gives."""
    given = {key: value for key, value in resolved(first).items() if key in OF_PHASES}
    return {**given, **data}


def kept_name(path: Path) -> str:
    """How a campaign keeps its phase's profile: by name when it came with rltui, else by its whole path."""
    whole = safe_io.real(path)
    return whole.stem if is_shipped(path) else str(whole)


def misfits(profile: Profile) -> list[Finding]:
    """Where phases cannot be lived through by one bot: what it sees, does or thinks with would change."""
    return [*_other_settings(profile), *_other_sizes(profile), *reset_misfits(profile)]


def _other_settings(profile: Profile) -> Iterator[Finding]:
    mine = _shared(profile)
    for index, phase in enumerate(profile.phases):
        theirs = _shared(phase)
        differing = [
            f"{show_key(key)}: expected {mine.get(key, 'nothing')}, found {theirs.get(key, 'nothing')}"
            for key in {**mine, **theirs}
            if mine.get(key) != theirs.get(key)
        ]
        if differing:
            message = f"{phase.name} does not fit the campaign: {'; '.join(differing)}"
            hint = f"{', '.join(SHARED)} must be the same, so that one bot can go through all phases"
            yield Finding(("curriculum", "phases", index, "profile"), message, hint=hint)


def _shared(profile: Profile) -> dict[KeyPath, str]:
    whole = resolved(profile)
    sections = {name: whole[name] if isinstance(whole[name], Mapping) else {"": whole[name]} for name in SHARED}
    return {
        (name, key) if key else (name,): toml_value(value)
        for name, keys in sections.items()
        for key, value in keys.items()
    }


def _other_sizes(profile: Profile) -> Iterator[Finding]:
    """An observation may serve only some team sizes, and must give all of a curriculum's the same numbers."""
    obs = Component(profile.obs.kind, complete("obs", Component(profile.obs.kind, profile.obs.options)))
    sizes: dict[tuple[int, int], int] = {}
    for teams in _teams(profile):
        try:
            size = build("obs", obs).size(*teams)
        except (Exception, SystemExit) as error:  # a user's class may raise anything
            yield Finding(("obs",), f"does not fit {teams[0]}v{teams[1]}: {error}", found=obs.name)
            continue
        if isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1:
            sizes[teams] = int(size)
        else:
            said = f"size({teams[0]}, {teams[1]}) must be how many numbers a car's row has"
            yield Finding(("obs",), said, "a whole number, at least 1", repr(size))
    if len(set(sizes.values())) > 1:
        room = max(max(teams) for teams in sizes)
        padding = f" (zero_padding = {room})" if "zero_padding" in obs.options else ""
        each = ", ".join(f"{size} numbers in {blue}v{orange}" for (blue, orange), size in sizes.items())
        yield Finding(("obs",), f"must be of one size throughout: {each}", f"room for {room} cars a team{padding}")


def _teams(profile: Profile) -> list[tuple[int, int]]:
    """Team sizes of every lesson, each once."""
    return list(dict.fromkeys((taught.game.blue, taught.game.orange) for taught in lessons(profile)))
