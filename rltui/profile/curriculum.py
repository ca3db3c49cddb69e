"""Curriculum: a campaign's phases and stages, each resolved to the plain profile of one task."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from numbers import Integral
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.profile.components import complete_parameters, placed_components
from rltui.profile.locate import is_shipped, locate
from rltui.profile.models import CurriculumSection, Profile, ResetSection, StageEntry
from rltui.profile.resolved import OF_PHASES, component, resolved
from rltui.profile.source import Problem, ProfileError, show_key
from rltui.profile.toml_lines import KeyPath
from rltui.profile.toml_text import toml_value
from rltui.profile.validation import ValidationFinding
from rltui.registry import CHECKPOINTS, MIRROR, TABLE_FILES, Component, build, is_saved_bot
from rltui.user_files import is_module

MILLION = 1_000_000
SHARED = ("tick_skip", "action_delay_ticks", "obs", "actions", "policy", "critic")  # the same in all phases
NETS = frozenset({"policy", "critic"})  # of those, what a campaign writes holds whatever its phases' profiles have
NAMES = ("label", "phase")  # a campaign may have them: they go unused
PhaseReader = Callable[[Path], tuple[Profile | None, list[Problem]]]


def stages_of(curriculum: CurriculumSection) -> tuple[StageEntry, ...]:
    """The stages in order, only the last without an end; empty where there are none."""
    if isinstance(curriculum.stages, tuple):
        return curriculum.stages
    if curriculum.stages == "none":
        return ()
    return _with_ends(PLANS[curriculum.stages], curriculum.stage_steps or ENDS[curriculum.stages])


def stage_at(stages: Sequence[StageEntry], timesteps: int) -> int:
    """The index of the stage that begins at or before so many timesteps, and has not ended."""
    return next(
        (index for index, stage in enumerate(stages) if stage.until is None or timesteps < stage.until),
        len(stages) - 1,
    )


def stage_name(stage: StageEntry) -> str:
    """`1v2 chaser`, or the name that the profile gives."""
    against = opponent_name(stage.opponent)
    return stage.name or f"{stage.blue}v{stage.orange}{against and ' '}{against}"


def opponent_name(opponent: str) -> str:
    """`chaser`; of a class of one's own without its file, of a saved bot `RUN/005M` without its folder. Empty: the bot itself."""
    if is_saved_bot(opponent):
        parts = [part for part in safe_io.path_of(opponent).parts if part != "policy.npz"]
        return "/".join(parts[-1:] if parts[-1].endswith(".npz") else parts[-2:])
    return "" if opponent == MIRROR else opponent.rpartition(":")[2]


def _with_ends(stages: Sequence[StageEntry], ends: Sequence[int]) -> tuple[StageEntry, ...]:
    """As many stages as have a beginning: one more than there are ends, where the plan has so many."""
    chosen = stages[: len(ends) + 1]
    return tuple(stage.model_copy(update={"until": end}) for stage, end in zip_longest(chosen, ends[: len(chosen) - 1]))


def _stage(blue: int, orange: int, opponent: str = MIRROR, **more: Any) -> StageEntry:
    return StageEntry(blue=blue, orange=orange, opponent=opponent, **more)


AERIAL = ResetSection.model_validate(
    {"kind": "random", "ground_share": 0.0, "car_z": (200.0, 800.0), "ball_z": (200.0, 800.0), "boost_scale": 1.5}
)
PLANS: Mapping[str, tuple[StageEntry, ...]] = {
    "three_stage": (_stage(1, 1), _stage(1, 2, CHECKPOINTS), _stage(2, 2)),
    "five_stage": (_stage(1, 1), _stage(1, 2, "chaser"), _stage(2, 2), _stage(2, 3, "chaser"), _stage(3, 3)),
    "aerial_focus": (_stage(1, 1, name="aerial", resets=(AERIAL,), categories={"aerial": 2.0}), _stage(1, 1)),
}
ENDS: Mapping[str, tuple[int, ...]] = {
    "three_stage": (2 * MILLION, 3_500_000),
    "five_stage": (2 * MILLION, 3_500_000, 5_500_000, 7 * MILLION),
    "aerial_focus": (),
}


def task_profile(profile: Profile, phase: int = 0, stage: int = 0) -> Profile:
    """The profile in force, itself without phases; of a profile without curriculum it is the same. Indices from 0.

    The phase's profile gives OF_PHASES; the stage, where there are stages, decides team sizes and opponent.
    """
    if profile.curriculum == CurriculumSection():
        return profile
    changes: dict[str, Any] = {"curriculum": CurriculumSection()}
    if profile.phases:
        source = profile.phases[phase]
        changes |= {name: getattr(source, name) for name in OF_PHASES}
        changes |= {"label": source.label or source.name, "phase": phase_number(profile, phase)}
    stages = stages_of(profile.curriculum)
    made = profile.model_copy(update=changes | (_staged(profile, changes, stages[stage]) if stages else {}))
    made._phases = ()
    return made


def task_profiles(profile: Profile) -> list[Profile]:
    """Every phase at every stage."""
    phases, stages = range(len(profile.phases) or 1), range(len(stages_of(profile.curriculum)) or 1)
    return [task_profile(profile, phase, stage) for phase in phases for stage in stages]


def placed_tasks(profile: Profile) -> Iterator[tuple[KeyPath, Profile]]:
    """Every phase at every stage, and where the profile says who its opponent is."""
    stages = range(len(stages_of(profile.curriculum)) or 1)
    for index, task in enumerate(task_profiles(profile)):
        phase, stage = divmod(index, len(stages))
        if isinstance(profile.curriculum.stages, tuple) and profile.curriculum.stages:
            yield ("curriculum", "stages", stage, "opponent"), task
        else:
            yield ("curriculum", "phases", phase, "profile") if profile.phases else ("game", "opponent"), task


def phase_number(profile: Profile, phase: int) -> int:
    """As the phase's profile numbers it, else its place in the campaign, from 1."""
    number = profile.phases[phase].phase
    return phase + 1 if number is None else number


def _staged(profile: Profile, changes: dict[str, Any], stage: StageEntry) -> dict[str, Any]:
    game = changes.get("game", profile.game)
    teams = {"blue": stage.blue, "orange": stage.orange, "opponent": stage.opponent}
    found: dict[str, Any] = {"game": game.model_copy(update=teams)}
    if stage.resets:
        found["resets"] = stage.resets
    if stage.categories:
        only = stage.model_copy(update={"until": None, "resets": ()})
        found["curriculum"] = CurriculumSection(stages=(only,))
    return found


def reset_misfits(profile: Profile) -> list[ValidationFinding]:
    """Works on a checked profile: every task's resets against its team sizes, each mistake once."""
    found: dict[str, ValidationFinding] = {}
    for task in task_profiles(profile):
        for place, sections in _placed(profile, task):
            for index, section in enumerate(sections):
                message = _misfit(section, task.game.blue, task.game.orange)
                if message:
                    path = (*place, index) if place[-1] == "resets" else place
                    found.setdefault(message, ValidationFinding(path, message, found=section.kind))
    return list(found.values())


def _placed(profile: Profile, task: Profile) -> Iterator[tuple[KeyPath, Sequence[ResetSection]]]:
    """A task's resets, and where the profile says so: itself, or its curriculum."""
    resets, practice = task.resets, task.mechanics.resets if task.mechanics.weight else ()
    yield ("resets",) if resets is profile.resets else ("curriculum",), resets
    yield ("mechanics", "resets") if practice is profile.mechanics.resets else ("curriculum",), practice


def _misfit(section: ResetSection, blue: int, orange: int) -> str:
    misfit: str = build(*component(section)).misfit(blue, orange)
    return f"does not fit {blue}v{orange}: {misfit}" if misfit else ""


@dataclass
class Phases:
    """The profiles that a campaign names, by their places, as far as they can be used; problems are in their files, findings
    in its own.
    """

    profiles: dict[int, Profile] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    findings: list[ValidationFinding] = field(default_factory=list)

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


def read_phases(data: Mapping[str, Any], folder: Path | None, read_phase: PhaseReader) -> Phases:
    """Every phase's profile, found beside the campaign first. read_phase: gives one, with its problems."""
    read = Phases(findings=list(_misplaced(data)))
    for index, name in named_phases(data):
        path: KeyPath = ("curriculum", "phases", index, "profile")
        try:
            profile, problems = read_phase(locate(name, folder))
        except ProfileError as error:
            problem = error.problems[0]
            read.findings.append(ValidationFinding(path, problem.message, problem.expected, name, problem.hint))
            continue
        read.problems += [problem for problem in problems if problem not in read.problems]
        if profile is not None:
            read.profiles[index] = profile
    return read


def _misplaced(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    for key in OF_PHASES:
        if key in data and key not in NAMES:
            yield ValidationFinding(
                (key,), "is not used in a campaign: each phase's profile has its own", "no such key here"
            )


def with_first_phase(data: Mapping[str, Any], first: Profile) -> dict[str, Any]:
    """A campaign's raw values with what its first phase gives."""
    given = {key: value for key, value in resolved(first).items() if key in OF_PHASES}
    return {**given, **data}


def stored_name(path: Path) -> str:
    """How a resolved campaign names its phase's profile: by name when it came with rltui, else by its whole path."""
    whole = safe_io.real(path)
    return whole.stem if is_shipped(path) else str(whole)


def campaign_misfits(profile: Profile) -> list[ValidationFinding]:
    """Where tasks cannot be lived through by one bot: what it sees would change, or resets lack cars."""
    return [*_other_sizes(profile), *reset_misfits(profile)]


def other_settings(profile: Profile, phases: Mapping[int, Profile]) -> Iterator[ValidationFinding]:
    """Where phases cannot be lived through by one bot: what it sees, does or thinks with would change.

    profile: the campaign's, of which SHARED counts. phases: by their places.
    """
    mine, decided = _shared(profile), NETS & profile.model_fields_set
    for index, phase in phases.items():
        theirs = _shared(phase)
        differing = [key for key in {**mine, **theirs} if mine.get(key) != theirs.get(key) and key[0] not in decided]
        if differing:
            each = (
                f"{show_key(key)}: expected {mine.get(key, 'nothing')}, found {theirs.get(key, 'nothing')}"
                for key in differing
            )
            message = f"{phase.name} does not fit the campaign: {'; '.join(each)}"
            hint = "; ".join(dict.fromkeys(_way_out(str(key[0])) for key in differing))
            yield ValidationFinding(("curriculum", "phases", index, "profile"), message, hint=hint)


def _way_out(section: str) -> str:
    if section in NETS:
        return f"write [{section}] in the campaign, and it holds in all phases"
    return f"{section} must be the same in all phases: one bot goes through them"


def _shared(profile: Profile) -> dict[KeyPath, str]:
    whole = resolved(profile)
    sections = {name: whole[name] if isinstance(whole[name], Mapping) else {"": whole[name]} for name in SHARED}
    return {
        (name, key) if key else (name,): toml_value(value)
        for name, keys in sections.items()
        for key, value in keys.items()
    }


def _other_sizes(profile: Profile) -> Iterator[ValidationFinding]:
    """An observation may serve only some team sizes, and must give all of a curriculum's the same numbers."""
    obs = Component(profile.obs.kind, complete_parameters("obs", Component(profile.obs.kind, profile.obs.options)))
    sizes: dict[tuple[int, int], int] = {}
    for teams in _teams(profile):
        try:
            size = build("obs", obs).size(*teams)
        except (Exception, SystemExit) as error:  # a user's class may raise anything
            yield ValidationFinding(("obs",), f"does not fit {teams[0]}v{teams[1]}: {error}", found=obs.name)
            continue
        if isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1:
            sizes[teams] = int(size)
        else:
            message = f"size({teams[0]}, {teams[1]}) must be how many numbers a car's row has"
            yield ValidationFinding(("obs",), message, "a whole number, at least 1", repr(size))
    if len(set(sizes.values())) > 1:
        room = max(max(teams) for teams in sizes)
        padding = f" (zero_padding = {room})" if "zero_padding" in obs.options else ""
        each = ", ".join(f"{size} numbers in {blue}v{orange}" for (blue, orange), size in sizes.items())
        yield ValidationFinding(
            ("obs",), f"must be of one size throughout: {each}", f"room for {room} cars a team{padding}"
        )


def _teams(profile: Profile) -> list[tuple[int, int]]:
    """Team sizes of every task, each once."""
    return list(dict.fromkeys((task.game.blue, task.game.orange) for task in task_profiles(profile)))


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
    if profile.env:
        yield "env", profile.env
    for task in task_profiles(profile):
        for part in placed_components(resolved(task)):
            source = part.name.rpartition(":")[0]
            if source and not is_module(source) and not part.name.lower().endswith(TABLE_FILES):
                yield part.kind, part.name


def _content(path: Path) -> bytes | None:
    try:
        return safe_io.read_bytes(path)
    except OSError:
        return None
