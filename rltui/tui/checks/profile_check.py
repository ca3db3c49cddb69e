"""What a child `rltui profile check --json` says of profiles, remembered by the files' content and that of the files they name.

Judging a profile imports its components and pydantic; that happens in the child, never here.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from rltui import safe_io
from rltui.runs.meta import Signature
from rltui.tui.checks.child import Run, run_child
from rltui.tui.checks.content_key import content_key


class ProfileProblem(msgspec.Struct, frozen=True):
    """One mistake, as the child reports it."""

    message: str = ""
    file: str = ""
    line: int | None = None
    key: str = ""
    expected: str = ""
    found: str = ""
    hint: str = ""


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


_decoder = msgspec.json.Decoder(list[ProfileCheck] | ProfileCheck)


class ProfileChecker:
    """Verdicts by content; `check` runs one child for all the files whose content it has not seen."""

    def __init__(self, run: Run | None = None) -> None:
        """run: command → its standard output, for tests."""
        self.run = run or run_child
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
        command = [sys.executable, "-m", "rltui", "profile", "check", "--json", *(str(path) for path in paths)]
        try:
            answer = _decoder.decode(self.run(command))
            found = answer if isinstance(answer, list) else [answer]
        except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
            found = []
            reason = f"could not be checked: {error}"
        else:
            reason = "could not be checked: the child said nothing of it"
        return [*found, *(_unchecked(path, reason) for path in paths[len(found) :])][: len(paths)]


def content_hash(path: Path) -> str:
    """Of the file's bytes; empty where it cannot be read, as a pipe, which would be waited for, for ever."""
    try:
        return hashlib.sha256(safe_io.read_bytes(path)).hexdigest()
    except OSError:
        return ""


def _unchecked(path: Path, reason: str) -> ProfileCheck:
    return ProfileCheck(str(path), False, [ProfileProblem(reason, file=str(path))])
