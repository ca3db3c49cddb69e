"""Thread that puts checkpoints and milestones on disk while training goes on; pruning."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError
from rltui.runs.atomic import TEMPORARY, fault, make_folder, remove_tree, same_disk, temporary_name, unique_suffix
from rltui.runs.best import protected, read_ratings
from rltui.runs.checkpoint import POLICY_FILE, damage, sha256, write_checkpoint
from rltui.runs.inventory import list_checkpoints, list_milestones, metas, read_checkpoint_info
from rltui.runs.meta import milestone_label
from rltui.runs.paths import RunPaths, folders

SaveKind = Literal["checkpoint", "milestone"]
MOST_MILESTONES, MOST_ASKED = 3, 8  # that wait for a disk which takes nothing: each holds a copy of the nets in memory


def prune(paths: RunPaths, last: int, keeps: Callable[[], frozenset[int]] = frozenset) -> list[Path]:
    """Remove all complete checkpoints but the newest `last` by commit (never fewer than one) and those that are protected as
    the best by games or reward, see best.py. Returns those removed. keeps: timesteps of more that stay.

    Damaged and foreign entries are not counted and not touched. A folder leaves its place by one rename before anything
    in it is removed, so a crash never leaves half a checkpoint in the list. One that cannot be moved stays.
    """
    whole = [info for info in list_checkpoints(paths) if info.damage is None]
    old = whole[: -max(last, 1)]
    stays = protected(metas(whole), metas(list_milestones(paths)), read_ratings(paths)) if old else frozenset()
    removed, kept = [], keeps()
    for info in old:
        if info.commit not in stays and info.timesteps not in kept:
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


def move_aside(path: Path, paths: RunPaths) -> Path:
    """Move what is no complete checkpoint out of the way of a save; nothing of it is lost. Raises OSError."""
    make_folder(paths.damaged)
    where = paths.damaged if same_disk(paths.damaged, path.parent) else path.parent
    target = where / f"{path.name}-{unique_suffix()}"
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


class MilestoneClock:
    """Says when a boundary of `interval` timesteps has been crossed since `last`, also after a resume."""

    def __init__(self, interval: int, last: int = 0) -> None:
        """interval: timesteps, at least 1. last: the timesteps that training starts from."""
        if interval < 1:
            raise RltuiError(f"milestone_interval must be at least 1, found {interval}", exit_code=2)
        self._interval = interval
        self._passed = last // interval

    def crossed(self, timesteps: int) -> str | None:
        """The label of the highest boundary crossed since the last call; None where there is none."""
        passed = timesteps // self._interval
        if passed <= self._passed:
            return None
        self._passed = passed
        return milestone_label(passed * self._interval)


@dataclass(frozen=True)
class SaveJob:
    """One state to save. `files` is called once, on the saver thread, and gives the whole content by file name.

    asked: a person wants this milestone, or it is what a phase ends with; else only its interval has passed.
    """

    kind: SaveKind
    folder: Path
    timesteps: int
    files: Callable[[], Mapping[str, bytes]]
    label: str = ""  # of a milestone: `005M`
    asked: bool = False


@dataclass(frozen=True)
class SaveResult:
    """What became of a job.

    saved: it is on disk at `path`. present: the same state was there already. replaced: a newer checkpoint was asked
    for before this one was begun. failed: `reason` says why.
    """

    kind: SaveKind
    outcome: Literal["saved", "present", "replaced", "failed"]
    path: Path
    label: str
    timesteps: int
    bytes: int = 0
    seconds: float = 0.0  # from the job's begin until it was on disk
    reason: str = ""
    pruned: tuple[Path, ...] = ()
    set_aside: Path | None = None  # where something that stood in the way, and was no complete checkpoint, is now


class Saver:
    """Thread that does jobs in the order given. A failure is reported, never raised; the next job is tried all the same.

    `on_result` is called on it with each result (`replaced`, and of what gave way, on the caller's of `submit`).
    """

    def __init__(
        self,
        paths: RunPaths,
        keep_last: int,
        on_result: Callable[[SaveResult], None],
        keeps: Callable[[], frozenset[int]] = frozenset,
    ) -> None:
        """keeps: timesteps of states that must not be pruned now, asked on the thread."""
        self._paths, self._keeps = paths, keeps
        self._keep_last = keep_last
        self._on_result = on_result
        self._jobs: deque[SaveJob] = deque()
        self._busy = False
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="saver", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Jobs not finished."""
        with self._changed:
            return len(self._jobs) + self._busy

    def submit(self, job: SaveJob) -> None:
        """Take a job; returns at once. A checkpoint still waiting gives way to a newer one.

        Milestones wait for each other, until the disk has taken nothing for so long that MOST_MILESTONES wait: then the
        oldest of them gives way, and has failed. One that was asked for stays; beyond MOST_ASKED no more are taken.
        """
        with self._changed:
            if self._closing:
                raise RuntimeError("the saver is closed")
            stale = [old for old in self._jobs if old.kind == job.kind == "checkpoint"]
            one_too_many = self._one_too_many(job)
            self._jobs.append(job)
            for old in [*stale, *([one_too_many] if one_too_many else [])]:
                self._jobs.remove(old)
            self._changed.notify_all()
        for old in stale:
            self._report(SaveResult(old.kind, "replaced", old.folder, old.label, old.timesteps))
        if one_too_many is not None:
            self._report(_given_up(one_too_many))

    def _one_too_many(self, job: SaveJob) -> SaveJob | None:
        """Which milestone is not to be saved, where too many wait."""
        alike = [old for old in self._jobs if old.kind == job.kind == "milestone" and old.asked == job.asked]
        if job.asked:
            return job if len(alike) >= MOST_ASKED else None
        wanted = {old.timesteps for old in self._jobs if old.asked}  # the same state, in a folder of another name
        free = [old for old in alike if old.timesteps not in wanted]
        return free[0] if len(alike) >= MOST_MILESTONES and free else None

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False if that takes longer than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._busy, timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Finish the jobs and end the thread; False if that takes longer than `timeout` seconds."""
        done = self.drain(timeout)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if done:
            self._thread.join()
        return done

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._closing)
                if not self._jobs:
                    return
                job = self._jobs.popleft()
                self._busy = True
            try:
                self._report(self._save(job))
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _report(self, result: SaveResult) -> None:
        try:
            self._on_result(result)
        except Exception:  # a fault in telling must not end saving; the trainer's log shows it
            traceback.print_exc()

    def _save(self, job: SaveJob) -> SaveResult:
        start = time.monotonic()
        result = SaveResult(job.kind, "failed", job.folder, job.label, job.timesteps)
        try:
            result = self._write(job, job.files(), result)
        except RltuiError as error:
            return replace(result, reason=error.message)
        except Exception as error:  # serialising is others' code: whatever it raises must not stop training
            return replace(result, reason=f"cannot save {job.folder}: {error!r}")
        result = replace(result, seconds=time.monotonic() - start)
        return self._prune(result) if result.outcome == "saved" and job.kind == "checkpoint" else result

    def _prune(self, result: SaveResult) -> SaveResult:
        try:
            return replace(result, pruned=tuple(prune(self._paths, self._keep_last, self._keeps)))
        except Exception as error:  # the new one is safe; too many old ones are no reason to lose the thread
            return replace(result, reason=f"old checkpoints were not removed: {error!r}")

    def _write(self, job: SaveJob, files: Mapping[str, bytes], result: SaveResult) -> SaveResult:
        for path, label in self._places(job):
            result = replace(result, path=path, label=label)
            if os.path.lexists(path):
                if damage(path, thorough=True) is not None:
                    result = replace(result, set_aside=move_aside(path, self._paths))
                elif _holds_same_state(path, job, files):
                    return replace(result, outcome="present")
                else:
                    continue
            size = write_checkpoint(path, files, self._paths.staging)
            return replace(result, outcome="saved", bytes=size)
        raise RltuiError(f"cannot save {result.path}: another state is there already")

    def _places(self, job: SaveJob) -> list[tuple[Path, str]]:
        """The folder asked for; for a milestone whose label another line of training took, the exact label too."""
        places = [(job.folder, job.label)]
        exact = milestone_label(job.timesteps)
        if job.kind == "milestone" and exact != job.label:
            places.append((job.folder.with_name(exact), exact))
        return places


def _given_up(job: SaveJob) -> SaveResult:
    full = f"the disk takes nothing, and {MOST_ASKED} milestones already wait for it"
    reason = full if job.asked else "the disk takes nothing: dropped for newer milestones"
    return SaveResult(job.kind, "failed", job.folder, job.label, job.timesteps, reason=reason)


def _holds_same_state(path: Path, job: SaveJob, files: Mapping[str, bytes]) -> bool:
    there = read_checkpoint_info(path)
    same_steps = there.meta is None or there.timesteps == job.timesteps
    if POLICY_FILE not in files:
        return same_steps
    return same_steps and sha256((path / POLICY_FILE).read_bytes()) == sha256(files[POLICY_FILE])
