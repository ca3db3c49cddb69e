"""Profiles, runs, milestones read from disk."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from textual.message import Message

from rltui import safe_io
from rltui.events.episode_reward import WINDOW
from rltui.profile.locate import ProfileFile, list_profiles
from rltui.profile.source import MAX_BYTES
from rltui.profile.toml_text import toml_values
from rltui.runs import inventory
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import RunSummary, describe_run
from rltui.tui.checks.results import ProfileCheck, ProfileChecker, ProfileSummary

Stamp = tuple[object, ...]
FURTHER_SECONDS = 1.0  # of looking further between two lists


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A profile file. check: None while it has not been checked."""

    name: str
    path: Path
    shipped: bool
    description: str = ""
    check: ProfileCheck | None = None

    @property
    def summary(self) -> ProfileSummary | None:
        """None while it has not been found valid."""
        return self.check.summary if self.check else None

    @property
    def invalid(self) -> bool:
        return self.check is not None and not self.check.valid


@dataclass(frozen=True, slots=True)
class Catalog:
    """free_bytes: on the data folder's disk. verdicts: of runs that do not train, in words, as far as they are known by now."""

    root: Path
    profiles: tuple[ProfileEntry, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    free_bytes: int | None = None
    problem: str = ""  # why runs cannot be listed
    verdicts: Mapping[str, str] = field(default_factory=dict)

    def run(self, name: str) -> RunSummary | None:
        return next((run for run in self.runs if run.name == name), None)

    def profile(self, path: Path) -> ProfileEntry | None:
        return next((profile for profile in self.profiles if profile.path == path), None)

    def trained_by(self, profile: ProfileEntry) -> RunSummary | None:
        """The run that is being trained with this profile now; None for a profile with mistakes, which says so first."""
        if profile.check is None or profile.invalid:
            return None
        return next((run for run in self.runs if run.state == "training" and run.profile == profile.name), None)

    @property
    def training(self) -> tuple[RunSummary, ...]:
        """The runs that are being trained now."""
        return tuple(run for run in self.runs if run.state == "training")

    def milestone(self, path: str) -> CheckpointInfo | None:
        """The one in that folder."""
        return next((saved for saved in self.milestones if str(saved.path) == path), None)

    @property
    def milestones(self) -> list[CheckpointInfo]:
        return [saved for run in self.runs for saved in run.milestones]


class CatalogReady(Message):
    """What the launcher lists has been read again."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self.catalog = catalog


class CatalogReader:
    """Cache of summaries by file stamps: only what has changed is read again. Not for two threads at once."""

    def __init__(self, data: DataDir, checker: ProfileChecker) -> None:
        self._data, self._checker = data, checker
        self._runs: dict[str, tuple[Stamp, RunSummary]] = {}
        self._profiles: dict[Path, tuple[Stamp, ProfileEntry]] = {}
        self._verdicts: dict[str, str] = {}
        self._further: set[str] = set()  # runs without a verdict, or whose rewards are further back in their journals

    def read(self) -> Catalog:
        """All of it, as it is now; profiles with the checks known so far."""
        profiles = tuple(self._profile(file) for file in list_profiles())
        try:
            runs, problem = self._all_runs(), ""
        except OSError as error:
            runs, problem = (), f"{self._data.root} cannot be read: {error.strerror or error}"
        return Catalog(
            self._data.root, profiles, runs, inventory.free_bytes(self._data.root), problem, dict(self._verdicts)
        )

    def read_further(self) -> Catalog | None:
        """With what takes longer of some runs that were new to the last look; None where all is known."""
        if not self._further:
            return None
        from rltui.run_state.reader import judged  # the first picture does not wait for it

        until = time.monotonic() + FURTHER_SECONDS
        while self._further and time.monotonic() < until:
            name = self._further.pop()
            if name not in self._runs:
                continue
            (stamp, summary), paths = self._runs[name], self._data.run(name)
            if summary.reward.episodes < WINDOW:
                self._runs[name] = stamp, describe_run(paths)
            if summary.state != "training":
                self._verdicts[name] = judged(paths)[0].line
        return self.read()

    def check_one(self, path: Path) -> Catalog:
        """With a check of this profile: a second or two where there is none yet."""
        self._checker.check([path])
        return self.read()

    def _all_runs(self) -> tuple[RunSummary, ...]:
        """What trains first, then what was started last."""
        names = self._data.run_names()
        self._runs = {name: self._run(self._data.run(name)) for name in names}
        found = [summary for _, summary in self._runs.values()]
        return tuple(sorted(found, key=lambda run: (run.state == "training", *run.recency), reverse=True))

    def _run(self, paths: RunPaths) -> tuple[Stamp, RunSummary]:
        stamp = (inventory.file_stamp(paths.journal), *inventory.run_stamp(paths))
        known = self._runs.get(paths.name)
        if known is not None and known[0] == stamp:
            return known
        summary = describe_run(paths, brief=known is None)
        self._verdicts.pop(paths.name, None)
        if summary.state != "training" or (known is None and summary.reward.episodes < WINDOW):
            self._further.add(paths.name)
        return stamp, summary

    def _profile(self, file: ProfileFile) -> ProfileEntry:
        stamp = (inventory.file_stamp(file.path), file.shipped)
        known = self._profiles.get(file.path)
        if known is None or known[0] != stamp:
            known = self._profiles[file.path] = (stamp, read_profile(file))
        return _with_check(known[1], self._checker)


def read_profile(file: ProfileFile) -> ProfileEntry:
    """What can be said of a profile without a check; a file that is no TOML, or no file, is an entry too."""
    try:
        raw = toml_values(safe_io.read_text(file.path, MAX_BYTES))
    except (OSError, ValueError):
        return ProfileEntry(file.name, file.path, file.shipped)
    description = " ".join(str(raw.get("description", "")).split())
    return ProfileEntry(file.name, file.path, file.shipped, description)


def _with_check(entry: ProfileEntry, checker: ProfileChecker) -> ProfileEntry:
    check = checker.known(entry.path)
    return entry if check is entry.check else dataclasses.replace(entry, check=check)
