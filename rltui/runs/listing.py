"""The checkpoints and milestones of a run, in the order of saving. Whatever else lies there is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rltui.runs import meta
from rltui.runs.checkpoint import DamagedError, Survey, survey
from rltui.runs.meta import Meta
from rltui.runs.paths import RunPaths, folders

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
PHASE = re.compile(r"Phase[0-9]+-.+")
LABEL = re.compile(r"([0-9]{3,12})(?:\.([0-9]{1,6}))?M")


@dataclass(frozen=True)
class CheckpointInfo:
    """One folder that is, or should be, a checkpoint. `damage` says why it is not: none such is ever acted on."""

    path: Path
    timesteps: int  # meta.json's; where that cannot be read, what the folder's name says
    meta: Meta | None
    damage: str | None
    milestone: str = ""  # `Phase1-BallTouching/005M`; empty for a plain checkpoint
    bytes: int | None = None  # of all files, by the manifest; None where unknown

    @property
    def commit(self) -> int | None:
        return self.meta.commit if self.meta else None

    @property
    def name(self) -> str:
        """As people are told: `checkpoint 250000`, `milestone Phase1-BallTouching/005M`."""
        return f"milestone {self.milestone}" if self.milestone else f"checkpoint {self.path.name}"


def list_checkpoints(paths: RunPaths) -> list[CheckpointInfo]:
    """Every numbered folder, oldest commit first, those of unknown commit last."""
    found = (_look(path, int(path.name)) for path in folders(paths.checkpoints) if NUMBER.fullmatch(path.name))
    return _in_order(filter(_is_there, found))


def list_milestones(paths: RunPaths) -> list[CheckpointInfo]:
    """Every folder `Phase<N>-<label>/<millions>M`, oldest commit first, those of unknown commit last."""
    found = (
        (path, label)
        for phase in folders(paths.milestones)
        if PHASE.fullmatch(phase.name)
        for path in folders(phase)
        if (label := LABEL.fullmatch(path.name))
    )
    infos = (
        _look(path, int(label[1] + (label[2] or "").ljust(6, "0")), f"{path.parent.name}/{path.name}")
        for path, label in found
    )
    return _in_order(filter(_is_there, infos))


def _is_there(info: CheckpointInfo) -> bool:
    """False for what was pruned while it was looked at."""
    return info.damage is None or info.path.exists()


def newest_commit(paths: RunPaths) -> int:
    """The highest commit of the run's complete checkpoints and milestones; 0 where there is none."""
    return max((info.commit or 0 for info in complete(paths)), default=0)


def complete(paths: RunPaths) -> list[CheckpointInfo]:
    """The complete checkpoints and milestones, oldest commit first; of one state the checkpoint comes last."""
    both = list_milestones(paths) + list_checkpoints(paths)
    return _in_order(info for info in both if info.damage is None)


def metas(infos: Iterable[CheckpointInfo]) -> list[Meta]:
    """Of those that are complete."""
    return [info.meta for info in infos if info.meta is not None and info.damage is None]


def look(path: Path) -> CheckpointInfo:
    """What one folder, wherever it is, holds."""
    number = int(path.name) if NUMBER.fullmatch(path.name) else 0
    return _look(path, number, f"{path.parent.name}/{path.name}" if LABEL.fullmatch(path.name) else "")


def _look(path: Path, named: int, milestone: str = "") -> CheckpointInfo:
    seen = survey(path, meta.NAME)
    try:
        found = _meta(seen)
    except DamagedError as error:
        return CheckpointInfo(path, named, None, seen.damage or str(error), milestone, seen.size)
    return CheckpointInfo(path, found.timesteps, found, seen.damage, milestone, seen.size)


def _meta(seen: Survey) -> Meta:
    if isinstance(seen.content, DamagedError):
        raise seen.content
    return meta.checked(seen.content)


def _in_order(infos: Iterator[CheckpointInfo]) -> list[CheckpointInfo]:
    def key(info: CheckpointInfo) -> tuple[bool, int, bool, int, str]:
        return info.commit is None, info.commit or 0, not info.milestone, info.timesteps, info.path.name

    return sorted(infos, key=key)
