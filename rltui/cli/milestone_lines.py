"""What `rltui milestones` prints, as lines or as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rltui.cli.table import aligned, number
from rltui.figures import UNKNOWN, ago, size
from rltui.plain_text import one_line
from rltui.runs.listing import CheckpointInfo
from rltui.runs.milestones import Mark
from rltui.runs.paths import DataDir
from rltui.runs.shelf import Shelf, Stray
from rltui.runs.trash import Trashed

HEAD = ("STATE", "TIMESTEPS", "REWARD", "EPISODES", "ENTROPY", "KL", "SAVED", "SIZE", "MARKS", "NOTE")
RIGHT = frozenset({1, 2, 3, 4, 5, 7})


def lines(data: DataDir, shelves: Sequence[Shelf], strays: Sequence[Stray], now: float) -> list[str]:
    """Each run's table, damaged and stray entries with their reasons below it."""
    if not shelves and not strays:
        return [f"no runs in {data.root}; start one: rltui train PROFILE"]
    found: list[str] = []
    for shelf in shelves:
        parent = f", from {one_line(shelf.parent)}" if shelf.parent else ""
        found += [*([""] if found else []), f"{shelf.run}{', training' if shelf.trainer else ''}{parent}"]
        infos = (*shelf.milestones, *shelf.checkpoints)
        rows = [HEAD, *(_row(shelf, info, now) for info in infos)] if infos else []
        found += [f"  {line}" for line in aligned(rows, RIGHT)] or ["  nothing kept yet"]
        found += [f"  damaged: {one_line(info.name)}: {one_line(info.damage)}" for info in infos if info.damage]
        found += [f"  stray: {one_line(stray.path)}: {stray.reason}" for stray in shelf.strays]
        found += [f"  {shelf.problem}"] if shelf.problem else []
    return found + [f"stray: {one_line(stray.path)}: {stray.reason}" for stray in strays]


def _row(shelf: Shelf, info: CheckpointInfo, now: float) -> tuple[str, ...]:
    meta, mark = info.meta, shelf.marks.get(info.milestone, Mark())
    words = [word for word, holds in (("pinned", mark.pinned), ("released", mark.released)) if holds]
    return (
        info.milestone or info.path.name,
        number(info.timesteps),
        number(meta.mean_reward if meta else None, ".3f"),
        number(meta.reward_episodes or None if meta else None),
        number(meta.entropy if meta else None, ".3f"),
        number(meta.approx_kl if meta else None, ".4f"),
        ago(now - meta.time) if meta else UNKNOWN,
        size(info.bytes),
        "damaged" if info.damage else " ".join(words) or UNKNOWN,
        mark.note,
    )


def trash_lines(entries: Sequence[Trashed], now: float) -> list[str]:
    """What can be restored."""
    if not entries:
        return ["the trash is empty"]
    rows = [("RUN", "STATE", "TIMESTEPS", "DELETED", "PLACE")]
    rows += [(e.run, e.name, number(e.timesteps), ago(now - e.time), str(e.folder)) for e in entries]
    return aligned(rows, frozenset({2}))


def as_dict(shelf: Shelf) -> dict[str, Any]:
    """One run; unknown is null."""
    return {
        "run": shelf.run,
        "training": shelf.trainer is not None,
        "parent": shelf.parent,
        "milestones": [_state(shelf, info) for info in shelf.milestones],
        "checkpoints": [_state(shelf, info) for info in shelf.checkpoints],
        "strays": [{"path": str(stray.path), "reason": stray.reason} for stray in shelf.strays],
        "problem": shelf.problem or None,
    }


def _state(shelf: Shelf, info: CheckpointInfo) -> dict[str, Any]:
    return {
        "path": str(info.path),
        "name": info.name,
        "timesteps": info.timesteps,
        "bytes": info.bytes,
        "damage": info.damage,
        "mark": msgspec.to_builtins(shelf.marks.get(info.milestone, Mark())) if info.milestone else None,
        "meta": msgspec.to_builtins(info.meta),
    }
