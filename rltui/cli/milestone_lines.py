"""What `rltui milestones` prints, as lines or as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rltui.cli.table import aligned, number
from rltui.formatting import UNKNOWN, ago, size
from rltui.runs.best import Best, best_of, doubt, is_best, words
from rltui.runs.listing import CheckpointInfo
from rltui.runs.milestones import Mark
from rltui.runs.paths import DataDir
from rltui.runs.shelf import Shelf, Stray
from rltui.runs.trash import Trashed
from rltui.safe_io import one_line

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
        best, spared = best_of(shelf.complete), shelf.spared
        rows = [HEAD, *(_row(shelf, info, best, now) for info in infos)] if infos else []
        found += [f"  {line}" for line in aligned(rows, RIGHT)] or ["  nothing saved yet"]
        found += _by_reward(infos, best)
        found += [
            f"  not pruned: {one_line(each.name)}, the best to go back to" for each in infos if _stays(spared, each)
        ]
        found += [f"  damaged: {one_line(info.name)}: {one_line(info.damage)}" for info in infos if info.damage]
        found += [f"  stray: {one_line(stray.path)}: {stray.reason}" for stray in shelf.strays]
        found += [f"  {shelf.problem}"] if shelf.problem else []
    return found + [f"stray: {one_line(stray.path)}: {stray.reason}" for stray in strays]


def _stays(spared: frozenset[int], info: CheckpointInfo) -> bool:
    """Whether it is no milestone and yet is not pruned. spared: Shelf.spared, which looks at all."""
    return not info.milestone and info.damage is None and info.commit in spared


def _by_reward(infos: Sequence[CheckpointInfo], best: Sequence[Best]) -> list[str]:
    """What `best` in the table means, and of which states the reward does not count."""
    found = [f"  best by reward: {one.timesteps:,}, the {words(one)}" for one in best]
    doubts = [(info, doubt(info.meta)) for info in infos if info.meta is not None and info.damage is None]
    return found + [f"  reward does not count: {one_line(info.name)}: {reason}" for info, reason in doubts if reason]


def _row(shelf: Shelf, info: CheckpointInfo, best: Sequence[Best], now: float) -> tuple[str, ...]:
    meta, mark = info.meta, shelf.marks.get(info.milestone, Mark())
    is_one = info.damage is None and is_best(best, meta) is not None
    marks = [word for word, holds in (("best", is_one), ("pinned", mark.pinned), ("released", mark.released)) if holds]
    return (
        info.milestone or info.path.name,
        number(info.timesteps),
        number(meta.mean_reward if meta else None, ".3f"),
        number(meta.reward_episodes or None if meta else None),
        number(meta.entropy if meta else None, ".3f"),
        number(meta.approx_kl if meta else None, ".4f"),
        ago(now - meta.time) if meta else UNKNOWN,
        size(info.bytes),
        "damaged" if info.damage else " ".join(marks) or UNKNOWN,
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
    best, spared = best_of(shelf.complete), shelf.spared
    return {
        "run": shelf.run,
        "training": shelf.trainer is not None,
        "parent": shelf.parent,
        "milestones": [_state(shelf, info, best, spared) for info in shelf.milestones],
        "checkpoints": [_state(shelf, info, best, spared) for info in shelf.checkpoints],
        "strays": [{"path": str(stray.path), "reason": stray.reason} for stray in shelf.strays],
        "problem": shelf.problem or None,
    }


def _state(shelf: Shelf, info: CheckpointInfo, best: Sequence[Best], spared: frozenset[int]) -> dict[str, Any]:
    return {
        "path": str(info.path),
        "name": info.name,
        "timesteps": info.timesteps,
        "bytes": info.bytes,
        "damage": info.damage,
        "best": info.damage is None and is_best(best, info.meta) is not None,
        "spared": _stays(spared, info),
        "doubt": (doubt(info.meta) or None) if info.meta is not None else None,
        "mark": msgspec.to_builtins(shelf.marks.get(info.milestone, Mark())) if info.milestone else None,
        "meta": msgspec.to_builtins(info.meta),
    }
