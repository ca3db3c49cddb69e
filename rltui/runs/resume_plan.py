"""What was asked of a start, and what it will do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from rltui.runs.kept_profile import profile_name
from rltui.runs.paths import DataDir, branch_name, default_run_name
from rltui.runs.signature import Signature


@dataclass(frozen=True)
class ResumePlan:
    """What a start will do. `reason` and `warnings` are shown before it does."""

    kind: Literal["new", "resume", "branch"]
    run: str
    reason: str
    checkpoint: Path | None = None
    timesteps: int = 0
    commit: int = 0  # of the checkpoint
    last_commit: int = 0  # the highest that `run` has, damaged ones included: its next saved state is last_commit + 1
    parent: str | None = None  # `<run>@<timesteps>`, for meta.json: set by a branch, kept by a resume
    parent_run: str | None = None  # of a branch whose parent lies in the same data folder
    rewind: bool = True  # the journal gets a run_resumed: it has, or may have, rows above `timesteps`
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StartAsked:
    """What was asked for."""

    data: DataDir
    signature: Signature
    profile: str
    run: str | None
    now: float

    @cached_property
    def profile_name(self) -> str:
        """As meta.json has it."""
        return profile_name(self.profile)

    def command(self, options: str) -> str:
        return f"rltui train {self.profile} {options}"

    def free_name(self) -> str:
        """The run asked for, else a new name made of the profile's."""
        if self.run is not None:
            return self.run
        name = default_run_name(self.profile_name)
        return branch_name(self.data, name) if self.data.has_run(name) else name
