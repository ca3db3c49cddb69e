"""The saved states of one run, as they are listed: complete ones and damaged ones apart."""

from __future__ import annotations

import msgspec

from rltui.errors import RltuiError
from rltui.runs.listing import CheckpointInfo, list_checkpoints, list_milestones
from rltui.runs.meta import Meta
from rltui.runs.milestones import Mark, read_marks
from rltui.runs.paths import RunPaths


class SavedState(msgspec.Struct, frozen=True):
    """A checkpoint or milestone, as listed."""

    path: str
    name: str  # `checkpoint 250000`, `milestone Phase1-BallTouching/005M`
    timesteps: int
    meta: Meta | None
    damage: str | None
    mark: Mark = Mark()


class SavedStates:
    """Oldest first. problem: why their marks cannot be read; empty where they can."""

    def __init__(self, paths: RunPaths) -> None:
        checkpoints, milestones = list_checkpoints(paths), list_milestones(paths)
        marks, self.problem = _marks(paths)
        self.checkpoints = _states(checkpoints, marks, damaged=False)
        self.milestones = _states(milestones, marks, damaged=False)
        self.damaged = _states(milestones + checkpoints, marks, damaged=True)
        self.metas = [state.meta for state in self.milestones + self.checkpoints if state.meta is not None]

    @property
    def newest(self) -> SavedState | None:
        """Of the complete checkpoints."""
        return self.checkpoints[-1] if self.checkpoints else None

    @property
    def newest_meta(self) -> Meta | None:
        """Of all that is complete."""
        return max(self.metas, key=lambda meta: meta.commit, default=None)


def _marks(paths: RunPaths) -> tuple[dict[str, Mark], str]:
    try:
        return read_marks(paths), ""
    except RltuiError as error:
        return {}, error.message


def _states(infos: list[CheckpointInfo], marks: dict[str, Mark], *, damaged: bool) -> list[SavedState]:
    return [
        SavedState(str(info.path), info.name, info.timesteps, info.meta, info.damage, marks.get(info.milestone, Mark()))
        for info in infos
        if (info.damage is not None) == damaged
    ]
