"""The one way from a profile's file and overrides to a Profile, with every error."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rltui.profile.components import (
    PlacedComponent,
    absolute_bots,
    absolute_name,
    check_component,
    check_env,
    check_rows,
    file_parameters,
    lists_as_tuples,
    placed_components,
    repeated_rewards,
)
from rltui.profile.curriculum import (
    SHARED,
    Phases,
    campaign_misfits,
    named_phases,
    other_settings,
    read_phases,
    stored_name,
    with_first_phase,
)
from rltui.profile.locate import STORED_FILES, locate, name_in_text
from rltui.profile.models import SCHEMA, Profile
from rltui.profile.resolved import OF_PHASES
from rltui.profile.rules import broken_rules, unusable_texts
from rltui.profile.source import Problem, ProfileError, ProfileSource, read_source, show_key, source_of
from rltui.profile.toml_lines import KeyPath, key_path
from rltui.profile.validation import ValidationFinding, validate
from rltui.safe_io import clipped

OVERRIDE = "--set"  # in the place of a file's name


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> tuple[list[KeyPath], list[ValidationFinding]]:
    """Change raw values in place, the later ones winning. Returns the paths set, and what could not be."""
    paths: list[KeyPath] = []
    findings: list[ValidationFinding] = []
    for text in overrides:
        key, equals, value = text.partition("=")
        parts = _parts(key)
        if not equals or parts is None:
            findings.append(
                ValidationFinding(
                    (), "not an override", "section.key=value, as in ppo.learning_rate=1e-4", clipped(text) or '""'
                )
            )
            continue
        try:
            paths.append(_put(data, parts, toml_or_text(value.strip())))
        except _NoTableError as error:
            findings.append(ValidationFinding(error.path, "has no keys below it", error.expected, key.strip()))
    return paths, findings


def split_overrides(overrides: Sequence[str], sections: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that set something else, and those that set a key in one of these top-level keys."""
    other: list[str] = []
    chosen: list[str] = []
    for text in overrides:
        parts = _parts(text.partition("=")[0])
        (chosen if parts and parts[0] in sections else other).append(text)
    return other, chosen


def _parts(key: str) -> tuple[str, ...] | None:
    return key_path(re.sub(r"\[(\d+)\]", r".\1", key))


def toml_or_text(text: str) -> Any:
    """A TOML value; what is none is text: `local` means "local"."""
    try:
        parsed = tomllib.loads(f"value = {text}") if "\n" not in text else {}
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if list(parsed) == ["value"] else text


class _NoTableError(Exception):
    def __init__(self, path: KeyPath, expected: str) -> None:
        super().__init__(path)
        self.path = path
        self.expected = expected


def _put(data: dict[str, Any], parts: Sequence[str], value: Any) -> KeyPath:
    """Set data[parts] = value, making tables on the way; `resets.0.weight` reaches into a list."""
    holder: Any = data
    path: KeyPath = ()
    for part in parts[:-1]:
        key = _step(holder, part, path)
        path = (*path, key)
        below = holder.get(key, {}) if isinstance(holder, dict) else holder[key]
        if path[:-1] == ("rewards",) and not isinstance(below, dict):
            below = {"weight": below}  # touch = 1 is short for touch = {weight = 1}
        holder[key] = below
        holder = below
    key = _step(holder, parts[-1], path)
    if path == ("rewards",) and isinstance(holder.get(key), dict) and not isinstance(value, dict):
        holder, path, key = holder[key], (*path, key), "weight"
    holder[key] = value
    return (*path, key)


def _step(holder: Any, part: str, path: KeyPath) -> str | int:
    if isinstance(holder, dict):
        return part
    if not isinstance(holder, list):
        raise _NoTableError(path, "a key that the profile has")
    if not part.isdecimal() or int(part) >= len(holder):
        raise _NoTableError(path, f"a number from 0 to {len(holder) - 1}")
    return int(part)


@dataclass
class LoadResult:
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


def read(argument: str | Path, overrides: Sequence[str] = (), phase: bool = False) -> LoadResult:
    """Like load, but mistakes are in the result. phase: it is a phase of a campaign, and can have none of its own."""
    reading = LoadResult(str(argument))
    try:
        reading.path = locate(argument)
        source = read_source(reading.path, _shown(reading.path))
    except ProfileError as error:
        reading.problems = list(error.problems)
        return reading
    return _completed(source, reading, overrides, phase)


def read_text(raw: bytes, path: Path) -> LoadResult:
    """Like read, of a text that may become that file: what it refers to is looked for beside it."""
    reading = LoadResult(str(path), path)
    return _completed(source_of(raw, _shown(path)), reading, (), phase=False)


def _completed(source: ProfileSource, reading: LoadResult, overrides: Sequence[str], phase: bool) -> LoadResult:
    """With the profile, or with all that is wrong, in the order of the file."""
    if source.data is not None:
        reading.profile = _profile_of(source, reading, overrides, phase)
    reading.problems = sorted(source.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    reading.problems.sort(key=lambda problem: problem.file not in (source.file, OVERRIDE))  # phases' files come after
    if reading.problems:
        reading.profile = None
    return reading


def _profile_of(source: ProfileSource, reading: LoadResult, overrides: Sequence[str], phase: bool) -> Profile | None:
    """None where it cannot be made; what is wrong is added to the source's problems either way."""
    data = source.data or {}
    own, of_phases = split_overrides(overrides, OF_PHASES)
    set_paths, findings = apply_overrides(data, own)
    phases = None
    if named_phases(data) and not phase:
        phases = read_phases(data, _folder(reading.path), lambda path: _of_phase(path, of_phases))
        source.problems += phases.problems
    else:
        more_paths, more_findings = apply_overrides(data, of_phases)
        set_paths, findings = set_paths + more_paths, findings + more_findings
    for finding in findings:
        source.problems.append(_problem(finding, source, [finding.path]))
    if "schema" not in data:
        reading.notices.append(f"no schema: read as the present one; write `schema = {SCHEMA}` on the first line")
    profile, findings = _findings(data, reading.path, phases)
    if named_phases(data) and phase:
        findings = [ValidationFinding(("curriculum", "phases"), "a phase of a campaign cannot have phases of its own")]
    if data.get("env") and phase:
        findings = [ValidationFinding(("env",), "a phase of a campaign plays the game, in no environment of its own")]
    source.problems += [_problem(finding, source, set_paths) for finding in findings]
    if profile is not None and profile.path is not None and profile.path.name in STORED_FILES:
        profile._name = name_in_text(source.text) or profile.name
    return profile


def _of_phase(path: Path, overrides: Sequence[str]) -> tuple[Profile | None, list[Problem]]:
    reading = read(path, overrides, phase=True)
    return reading.profile, reading.problems


def _folder(path: Path | None) -> Path | None:
    return path.parent if path is not None else None


def _findings(
    data: dict[str, Any], path: Path | None, phases: Phases | None
) -> tuple[Profile | None, list[ValidationFinding]]:
    folder = _folder(path)
    if refused := list(unusable_texts(data)):
        return None, refused
    if phases is not None and phases.profiles:
        data = with_first_phase(data, next(iter(phases.profiles.values())))
    model, findings = validate(Profile, prepare(data, folder), data)
    unusable: set[str] = set()
    for part in placed_components(data):
        findings += check_component(part, folder, unusable)
    findings += [*check_env(data, folder), *repeated_rewards(data, folder), *check_rows(data, folder)]
    wrong = {finding.path for finding in findings}  # what is wrong in itself needs no rule's opinion too
    findings += [finding for finding in broken_rules(data) if finding.path not in wrong]
    if phases is not None and not phases.sound:  # what the first phase would have given is not missing
        findings = [*phases.findings, *(finding for finding in findings if finding.path[0] not in OF_PHASES)]
    if phases is not None:
        findings += _unlike_the_campaign(data, folder, phases)
    if findings or not isinstance(model, Profile):
        return None, findings
    if path is not None:
        model._name, model._path = path.stem, path
    model._phases = tuple(phases.profiles.values()) if phases is not None else ()
    wrong_together = campaign_misfits(model)
    return (None, wrong_together) if wrong_together else (model, [])


def _unlike_the_campaign(data: Mapping[str, Any], folder: Path | None, phases: Phases) -> list[ValidationFinding]:
    """Of all its phases, whatever else is wrong. data: with what the first phase gives, if one can be used."""
    shared = {key: value for key, value in data.items() if key in (*SHARED, *OF_PHASES)}
    model, _ = validate(Profile, prepare(shared, folder), shared)
    return list(other_settings(model, phases.profiles)) if isinstance(model, Profile) else []


def prepare(data: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Raw values as the models take them: weights as tables, lists as tuples, files of components as absolute paths."""
    prepared: dict[str, Any] = {key: lists_as_tuples(value) for key, value in data.items()}
    for game in (prepared, prepared.get("mechanics")):
        if isinstance(game, dict) and isinstance(game.get("rewards"), Mapping):
            game["rewards"] = {
                absolute_name(name, folder): value if isinstance(value, Mapping) else {"weight": value}
                for name, value in game["rewards"].items()
            }
    for part in placed_components(data):
        if part.kind == "player" or (part.kind != "reward" and part.name_path != part.path):
            holder: Any = prepared
            for key in part.name_path[:-1]:
                holder = holder[key]
            last, name = part.name_path[-1], absolute_name(part.name, folder)
            if isinstance(last, str):
                holder[last] = name
            else:  # of a list of names, a tuple by now
                prepared["selfplay"]["scripted"] = (*holder[:last], name, *holder[last + 1 :])
        if given := file_parameters(part, folder):
            _table_of(part, prepared, folder).update(given)
    absolute_bots(prepared, folder)
    if isinstance(prepared.get("env"), str):
        prepared["env"] = absolute_name(prepared["env"], folder)
    for index, name in named_phases(data):
        with contextlib.suppress(ProfileError):  # it has been reported
            prepared["curriculum"]["phases"][index]["profile"] = stored_name(locate(name, folder))
    return prepared


def _table_of(part: PlacedComponent, prepared: Any, folder: Path | None) -> dict[str, Any]:
    """A component's own table among prepared values, where a reward goes by its new name."""
    path = (*part.path[:-1], absolute_name(part.name, folder)) if part.kind == "reward" else part.path
    for key in path:
        prepared = prepared[key]
    table: dict[str, Any] = prepared
    return table


def _problem(finding: ValidationFinding, source: ProfileSource, set_paths: Sequence[KeyPath]) -> Problem:
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
