"""Verdicts of child processes on profiles and action tables, cached by content; differences between two profiles.

Judging a profile imports its components and pydantic, examining a table plays cars in the simulator: never here.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from rltui import safe_io
from rltui.profile.changes import KeyChange, condensed
from rltui.profile.source import Problem
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.meta import Signature
from rltui.tui.checks.child import Run, ask, run_child

NAMED = re.compile(rb"""["']([^"'\n]{1,300}\.\w{1,5})(?::\w+)?["']""")  # "my/touch.py:Touch", "table.csv", "phase.toml"
MODULE = re.compile(rb"""["']([A-Za-z_][\w.]*):\w+["']""")  # "rewards.touch:Touch"
NEAR = re.compile(r'did you mean "([^"]+)"')
DEEPEST = 1  # a campaign's phases name rewards of their own, and no phases
Outcome = Literal["pass", "warn", "fail"]


def content_key(path: Path) -> str:
    """Another one whenever the profile or a file that it names has changed.

    Empty where it cannot be read; nor is a pipe, which would be waited for for ever.
    """
    try:
        content = safe_io.read_bytes(path, safe_io.LARGEST_SOURCE)
    except OSError:
        return ""
    stamps = "".join(f"\n{stamp}" for stamp in _stamps(content, path.parent, DEEPEST))
    return hashlib.sha256(content + stamps.encode()).hexdigest()


def _stamps(content: bytes, folder: Path, deepest: int) -> Iterator[tuple[str, int, int]]:
    """(name, time in ns, size in bytes) of each named file that is there, beside the profile, beside its folder or where the
    program was started, and of the Python files beside those.

    deepest: of so many profiles named one by the other, what they name counts too.
    """
    names = {found.decode(errors="replace") for found in NAMED.findall(content)}
    names |= {found.decode().replace(".", "/") + ".py" for found in MODULE.findall(content)}
    for name in sorted(names):
        for place in (Path(name), folder / name, folder.parent / name):
            about = _about(place)
            if about is None:
                continue
            yield name, about.st_mtime_ns, about.st_size
            if place.suffix == ".py":  # it may import those beside it
                others = sorted(safe_io.path_of(place).parent.glob("*.py"))
                yield from ((each.name, found.st_mtime_ns, found.st_size) for each in others if (found := _about(each)))
            if deepest and place.suffix == ".toml":
                yield from _stamps(_read(place), place.parent, deepest - 1)


def _about(place: Path) -> os.stat_result | None:
    """None where nothing is there."""
    try:
        return safe_io.path_of(place).stat()
    except (OSError, ValueError):
        return None


def _read(place: Path) -> bytes:
    """Empty where it cannot be read."""
    try:
        return safe_io.read_bytes(safe_io.path_of(place), safe_io.LARGEST_SOURCE)
    except OSError:
        return b""


class ProfileProblem(msgspec.Struct, frozen=True):
    """One mistake, as the child reports it."""

    message: str = ""
    file: str = ""
    line: int | None = None
    key: str = ""
    expected: str = ""
    found: str = ""
    hint: str = ""

    def __str__(self) -> str:
        """As the command line prints it, the file by its name alone."""
        return str(Problem(**(msgspec.structs.asdict(self) | {"file": Path(self.file).name})))

    @property
    def suggestion(self) -> str:
        """The name or word that was probably meant; of a class in a user's own file with the file. Empty where none is near."""
        near = NEAR.match(self.hint)
        file, colon, _ = self.found.rpartition(":")
        return f"{file}{colon}{near[1]}" if near else ""


class PhaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a campaign. until: metric → the value that the bot's own games must reach."""

    profile: str = ""
    label: str = ""
    learning_rate: float | None = None
    rewards: dict[str, float | list[tuple[int, float]]] = {}
    until: dict[str, float] = {}
    min_steps: int = 0
    max_steps: int | None = None


class ProfileSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a valid profile comes to. Unknown is None or empty."""

    label: str = ""
    phase: int | None = None
    description: str = ""
    author: str = ""
    env: str = ""  # of the user's own, in the game's place
    obs: str = ""
    table: str = ""
    device: str = ""
    rewards: dict[str, float | list[tuple[int, float]]] = {}  # weights; or schedules: (timesteps, weight)
    obs_size: int | None = None
    actions: int | None = None
    parameters: int | None = None
    policy_layers: list[int] = []
    critic_layers: list[int] = []
    memory_mb: float | None = None
    shared_memory_mb: float | None = None
    blue: int | None = None
    orange: int | None = None
    workers: int | None = None
    arenas: int | None = None
    learning_rate: float | None = None
    gamma_half_life_s: float | None = None
    iteration: int | None = None
    batch: int | None = None
    epochs: int | None = None
    hash: str = ""
    sources: dict[str, str] = {}  # users' own components: name → hash of the file
    said: dict[str, dict[str, str]] | None = None  # as `plan_launch` takes it
    phases: list[PhaseSummary] = []  # of a campaign
    save_every: int | None = None
    milestone_interval: int | None = None


class ProfileCheck(msgspec.Struct, frozen=True):
    """The child's verdict on one profile. signature and summary: None where it cannot be read that far.

    forcible: it is not valid, and yet `rltui train --force` would train it.
    """

    profile: str = ""  # as asked
    valid: bool = False
    errors: list[ProfileProblem] = []
    warnings: list[str] = []
    signature: Signature | None = None
    summary: ProfileSummary | None = None
    forcible: bool = False


_profile_decoder = msgspec.json.Decoder(list[ProfileCheck] | ProfileCheck)


class ProfileChecker:
    """Cache of verdicts by content key; `check` runs one child for all the files whose content it has not seen."""

    def __init__(self, run: Run = run_child) -> None:
        self.run = run
        self._known: dict[tuple[str, str], ProfileCheck] = {}

    def known(self, path: Path) -> ProfileCheck | None:
        """The verdict on the file, and on those that it names, as they now are; None where it has not been checked yet."""
        return self._known.get((str(path), content_key(path)))

    def check(self, paths: Sequence[Path]) -> Mapping[Path, ProfileCheck]:
        """A verdict for every path. Blocks for a second or two; call it from a thread."""
        hashes = {path: content_key(path) for path in paths}
        missing = [path for path in paths if (str(path), hashes[path]) not in self._known]
        for path, verdict in zip(missing, self._ask(missing), strict=True):
            self._known[str(path), hashes[path]] = verdict
        return {path: self._known[str(path), hashes[path]] for path in paths}

    def _ask(self, paths: Sequence[Path]) -> list[ProfileCheck]:
        if not paths:
            return []
        found: list[ProfileCheck] = []
        reason = "could not be checked: the child said nothing of it"
        try:
            answer = ask(self.run, _profile_decoder, "profile", "check", "--json", *map(str, paths))
            found = answer if isinstance(answer, list) else [answer]
        except (OSError, ValueError) as error:
            reason = f"could not be checked: {error}"
        return [*found, *(_unchecked(path, reason) for path in paths[len(found) :])][: len(paths)]


def _unchecked(path: Path, reason: str) -> ProfileCheck:
    return ProfileCheck(str(path), False, [ProfileProblem(reason, file=str(path))])


_change_decoder = msgspec.json.Decoder(list[KeyChange])


def profile_differences(left: Path, right: Path, run: Run = run_child) -> list[KeyChange]:
    """Between any two profiles, defaults filled in. Blocks for half a second: call it from a thread. OSError or ValueError
    where the child has no answer.
    """
    return ask(run, _change_decoder, "profile", "diff", "--json", str(left), str(right))


def resolved_changes(left: Path, right: Path, run: Run = run_child) -> list[KeyChange] | str:
    """`profile_differences`, condensed; a reason in words where there is no answer."""
    try:
        return condensed(profile_differences(left, right, run))
    except (OSError, ValueError) as error:
        return f"the profiles could not be compared: {error}"


class TableFinding(msgspec.Struct, frozen=True):
    """One check, as the child reports it."""

    outcome: Outcome
    sentence: str


class TableVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The child's report. problem: why there is none."""

    subject: str = ""
    outcome: Outcome = "pass"
    table_hash: str | None = None
    legality: str | None = None
    checks: list[TableFinding] = []
    # [rows][8], in the order throttle, steer, pitch, yaw, roll, jump, boost, handbrake
    controls: list[list[float | None]] = []
    words: list[str] = []  # of each row
    problem: str = ""


_table_decoder = msgspec.json.Decoder(TableVerdict)


class TableChecker:
    """Cache of verdicts on profiles, tables and checkpoints' folders; one child for each whose content it has not seen."""

    def __init__(self, run: Run = run_child) -> None:
        self._run = run
        self._known: dict[tuple[str, str], TableVerdict] = {}

    def check(self, path: Path) -> TableVerdict:
        """Blocks for a second or two; call it from a thread."""
        key = str(path), content_key(path / POLICY_FILE if path.is_dir() else path)
        found = self._known.get(key) or self._ask(path)
        if not found.problem:
            self._known[key] = found
        return found

    def _ask(self, path: Path) -> TableVerdict:
        try:
            return ask(self._run, _table_decoder, "lut", str(path), "--json")
        except (OSError, ValueError) as error:
            return TableVerdict(subject=str(path), problem=f"the table could not be examined: {error}")
