"""Old checkpoints go, but for the best; milestones and everything unknown stay; what a crash left behind goes at the next start."""

from __future__ import annotations

import contextlib
from pathlib import Path

from rltui.runs.atomic import TEMPORARY, make_folder, remove_tree, same_disk, temporary_name
from rltui.runs.best import spared
from rltui.runs.faults import fault
from rltui.runs.listing import list_checkpoints, list_milestones, metas
from rltui.runs.paths import RunPaths, folders


def prune(paths: RunPaths, last: int) -> list[Path]:
    """Remove all complete checkpoints but the newest `last` by commit (never fewer than one) and those that are spared as
    the best by reward, see best.py. Returns those removed.

    Damaged and foreign entries are not counted and not touched. A folder leaves its place by one rename before anything
    in it is removed, so a crash never leaves half a checkpoint in the list. One that cannot be moved stays.
    """
    whole = [info for info in list_checkpoints(paths) if info.damage is None]
    old = whole[: -max(last, 1)]
    stays = spared(metas(whole), metas(list_milestones(paths))) if old else frozenset()
    removed = []
    for info in old:
        if info.commit not in stays:
            with contextlib.suppress(OSError):
                _remove(info.path, paths.staging)
                removed.append(info.path)
    return removed


def clean_temporary(paths: RunPaths) -> list[Path]:
    """Remove what a killed trainer left half written or half removed. Only the holder of the run's lock may."""
    places = [paths.staging, paths.checkpoints, paths.milestones, *folders(paths.milestones), paths.folder]
    left = [path for place in places for path in _temporaries(place)]
    for path in left:
        remove_tree(path)
    with contextlib.suppress(OSError):
        paths.staging.rmdir()
    return left


def set_aside(path: Path, paths: RunPaths) -> Path:
    """Move what is no complete checkpoint out of the way of a save; nothing of it is lost. Raises OSError."""
    make_folder(paths.damaged)
    where = paths.damaged if same_disk(paths.damaged, path.parent) else path.parent
    target = where / f"{path.name}-{temporary_name('').removeprefix(TEMPORARY).strip('-')}"
    path.rename(target)
    return target


def _remove(path: Path, staging: Path) -> None:
    fault("prune.rename")
    make_folder(staging)
    where = staging if same_disk(staging, path.parent) else path.parent
    doomed = where / temporary_name(path.name)
    path.rename(doomed)
    fault("prune.remove")
    remove_tree(doomed)


def _temporaries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name.startswith(TEMPORARY)]
    except OSError:
        return []
