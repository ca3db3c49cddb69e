"""From a file and overrides to a Profile, with every mistake found at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rltui.profile.components import check_component, complete, from_folder, placed, tuples
from rltui.profile.locate import locate
from rltui.profile.models import SCHEMA, Profile
from rltui.profile.overrides import apply_overrides
from rltui.profile.problems import KeyPath, Problem, ProfileError, show_key
from rltui.profile.rules import broken_rules
from rltui.profile.source import Source, read_source
from rltui.profile.validation import Finding, validate
from rltui.registry import Component, build

OVERRIDE = "--set"


@dataclass
class Reading:
    """What came of a profile: the profile, or what is wrong with it; `notices` are for the user to know in any case."""

    argument: str
    path: Path | None = None
    profile: Profile | None = None
    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def load(profile: str | Path, overrides: Sequence[str] = ()) -> Profile:
    """The resolved profile: a path, a name in ./profiles, or a shipped name; `overrides` are `section.key=value`.

    Raises ProfileError with all mistakes, exit code 2. Imports the components that the profile names.
    """
    reading = read(profile, overrides)
    if reading.profile is None:
        raise ProfileError(str(profile), reading.problems)
    return reading.profile


def read(argument: str | Path, overrides: Sequence[str] = ()) -> Reading:
    """Like load, but mistakes are in the result."""
    reading = Reading(str(argument))
    try:
        reading.path = locate(argument)
        source = read_source(reading.path, _shown(reading.path))
    except ProfileError as error:
        reading.problems = list(error.problems)
        return reading
    if source.data is not None:
        reading.profile = _judge(source, reading, overrides)
    reading.problems = sorted(source.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    if reading.problems:
        reading.profile = None
    return reading


def _judge(source: Source, reading: Reading, overrides: Sequence[str]) -> Profile | None:
    data = source.data or {}
    set_paths, findings = apply_overrides(data, overrides)
    for finding in findings:
        source.problems.append(_problem(finding, source, [finding.path]))
    if "schema" not in data:
        reading.notices.append(f"no schema: read as the present one; write `schema = {SCHEMA}` on the first line")
    profile, findings = _findings(data, reading.path)
    source.problems += [_problem(finding, source, set_paths) for finding in findings]
    return profile


def _findings(data: dict[str, Any], path: Path | None) -> tuple[Profile | None, list[Finding]]:
    folder = path.parent if path is not None else None
    model, findings = validate(Profile, prepare(data, folder), data)
    for part in placed(data):
        findings += check_component(part, folder)
    wrong = {finding.path for finding in findings}  # what is wrong in itself needs no rule's opinion too
    findings += [finding for finding in broken_rules(data) if finding.path not in wrong]
    if findings or not isinstance(model, Profile):
        return None, findings
    if path is not None:
        model._name, model._path = path.stem, path
    misfit = _obs_misfit(model)
    return (None, [misfit]) if misfit else (model, [])


def prepare(data: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Raw values as the models take them: weights as tables, lists as tuples, files of components as absolute paths."""
    prepared: dict[str, Any] = {key: tuples(value) for key, value in data.items()}
    rewards = data.get("rewards")
    if isinstance(rewards, Mapping):
        prepared["rewards"] = {
            from_folder(name, folder): tuples(value) if isinstance(value, Mapping) else {"weight": value}
            for name, value in rewards.items()
        }
    for part in placed(data):
        if part.kind != "reward" and part.name_path != part.path:
            holder: Any = prepared
            for key in part.path:
                holder = holder[key]
            holder[part.name_path[-1]] = from_folder(part.name, folder)
    return prepared


def _obs_misfit(profile: Profile) -> Finding | None:
    """An observation may serve only some team sizes."""
    obs = Component(profile.obs.kind, profile.obs.options)
    try:
        build("obs", Component(obs.name, complete("obs", obs))).size(profile.game.blue, profile.game.orange)
    except Exception as error:  # a user's class may raise anything
        return Finding(("obs",), f"does not fit {profile.game.blue}v{profile.game.orange}: {error}", found=obs.name)
    return None


def _problem(finding: Finding, source: Source, set_paths: Sequence[KeyPath]) -> Problem:
    """Where a mistake was written: an override that set the key, or something in or around it, is to blame."""
    places = (finding.path, *finding.involves)
    overridden = any(_related(path, place) for path in set_paths for place in places)
    return Problem(
        file=OVERRIDE if overridden else source.file,
        line=None if overridden else source.lines.nearest(finding.path) or 1,
        key=show_key(finding.path),
        message=finding.message,
        expected=finding.expected,
        found=finding.found,
        hint=finding.hint,
    )


def _related(one: KeyPath, other: KeyPath) -> bool:
    return one[: len(other)] == other or other[: len(one)] == one


def _shown(path: Path) -> str:
    """The path as short as it goes: relative inside the working folder."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
