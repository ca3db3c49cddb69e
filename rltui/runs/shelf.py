"""Everything that lies where a run's saved states are kept: milestones, checkpoints, and what is neither, with the reason."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs.atomic import TEMPORARY
from rltui.runs.best import spared
from rltui.runs.glance import entries
from rltui.runs.listing import LABEL, NUMBER, PHASE, CheckpointInfo, list_checkpoints, list_milestones, look, metas
from rltui.runs.lock import Holder, holder
from rltui.runs.manifest import NAME as MANIFEST
from rltui.runs.meta import Meta
from rltui.runs.milestones import Mark, read_marks
from rltui.runs.paths import MILESTONES, DataDir, RunPaths, is_folder, name_problem
from rltui.runs.paused import look_paused

UNFINISHED = "being written, or left half written by a crash: the next start removes it"
NO_NUMBER = "its name is no number of timesteps, as rltui and rlgym-ppo write them"
NO_PHASE = "its name is not Phase<N>-<name>"
NO_LABEL = "its name is not <millions>M, as in 005M or 012.35M"


@dataclass(frozen=True, slots=True)
class Stray:
    """Something that no reader acts on. info: what it holds where it is a saved state under an odd name."""

    path: Path
    reason: str
    info: CheckpointInfo | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """Of one run. problem: why marks cannot be read."""

    run: str
    trainer: Holder | None
    milestones: tuple[CheckpointInfo, ...]
    checkpoints: tuple[CheckpointInfo, ...]
    strays: tuple[Stray, ...]
    marks: dict[str, Mark]
    problem: str = ""
    paused: float | None = None  # Unix seconds since when the trainer has been held by hand

    @property
    def complete(self) -> list[Meta]:
        """What is known of all that is not damaged."""
        return metas((*self.milestones, *self.checkpoints))

    @property
    def spared(self) -> frozenset[int]:
        """Commits of the checkpoints that are not pruned, however many newer ones come."""
        return spared(metas(self.checkpoints), metas(self.milestones))

    @property
    def parent(self) -> str | None:
        """`<run>@<timesteps>` that the run was branched or forked from."""
        metas = [info.meta for info in (*self.checkpoints, *self.milestones) if info.meta is not None]
        return max(metas, key=lambda meta: meta.commit).parent if metas else None


def read_shelf(paths: RunPaths) -> Shelf:
    """As it is now. Looks at names, sizes and meta.json; hashes are another matter. Never raises for what is there."""
    milestones, checkpoints = list_milestones(paths), list_checkpoints(paths)
    try:
        marks, problem = read_marks(paths), ""
    except RltuiError as error:
        marks, problem = {}, error.message
    trainer = holder(paths)
    return Shelf(
        paths.name,
        trainer,
        tuple(milestones),
        tuple(checkpoints),
        tuple(_strays(paths)),
        marks,
        problem,
        look_paused(paths, trainer),
    )


def foreign(data: DataDir) -> list[Stray]:
    """What lies among the runs and can be none."""
    found: list[Stray] = []
    for place in (data.runs, data.checkpoints, data.milestones):
        for path in entries(place):
            if path.name.startswith(".") and is_folder(path):
                continue  # .saving, .damaged: our own
            if path.name == MILESTONES and place == data.checkpoints:
                continue
            if not is_folder(path):
                found.append(Stray(path, _no_folder(path)))
            elif (problem := name_problem(path.name)) is not None:
                found.append(Stray(path, f"no run may be called so: it {problem}"))
    return found


def _strays(paths: RunPaths) -> Iterator[Stray]:
    yield from _odd(paths.checkpoints, NUMBER, NO_NUMBER)
    for path in entries(paths.milestones):
        if not is_folder(path):
            yield Stray(path, _no_folder(path))
        elif PHASE.fullmatch(path.name) is None:
            yield Stray(path, NO_PHASE)
        else:
            yield from _odd(path, LABEL, NO_LABEL)


def _odd(place: Path, pattern: re.Pattern[str], reason: str) -> Iterator[Stray]:
    for path in entries(place):
        if not is_folder(path):
            yield Stray(path, _no_folder(path))
        elif path.name.startswith(TEMPORARY):
            yield Stray(path, UNFINISHED)
        elif pattern.fullmatch(path.name) is None:
            yield Stray(path, reason, look(path) if os.path.lexists(path / MANIFEST) else None)


def _no_folder(path: Path) -> str:
    if path.is_symlink():
        return "a link that leads to no folder"
    return "not a folder"
