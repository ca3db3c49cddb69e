"""What the launcher lists: profiles, runs, milestones. Frozen; made by catalog_reader.py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rltui.runs.inventory import SavedState
from rltui.runs.summary import RunSummary
from rltui.tui.checks.profile_check import ProfileCheck


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A profile file. check: None while it has not been checked."""

    name: str
    path: Path
    shipped: bool
    label: str = ""
    phase: int | None = None
    description: str = ""
    check: ProfileCheck | None = None

    @property
    def invalid(self) -> bool:
        return self.check is not None and not self.check.valid


@dataclass(frozen=True, slots=True)
class Catalog:
    """free_bytes: on the data folder's disk."""

    root: Path
    profiles: tuple[ProfileEntry, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    free_bytes: int | None = None
    problem: str = ""  # why runs cannot be listed

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

    def milestone(self, path: str) -> tuple[RunSummary, SavedState] | None:
        """The run and the milestone in that folder."""
        found = ((run, saved) for run in self.runs for saved in run.milestones if saved.path == path)
        return next(found, None)

    @property
    def milestones(self) -> int:
        return sum(len(run.milestones) for run in self.runs)
