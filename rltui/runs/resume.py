"""Where training goes on from, and why, in words: decided before anything starts.

An explicit path, else (`auto`) the newest complete checkpoint of a run that fits and that nobody trains. Runs that
exist but do not fit stop the start: nobody loses a day because a setting silently opened a new run. A run is a line:
whatever is not its newest commit goes on as a branch, so that its own newest is never overtaken.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError
from rltui.runs import checkpoint
from rltui.runs.listing import CheckpointInfo, list_checkpoints, list_milestones, look, newest_commit
from rltui.runs.lock import holder
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths, absolute, branch_name, default_run_name, is_folder, name_problem
from rltui.runs.signature import Signature
from rltui.runs.words import ago, counted

_MOST_NAMED = 5  # runs or differences listed in one message


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
class _Start:
    """What was asked for."""

    data: DataDir
    signature: Signature
    profile: str
    run: str | None
    now: float

    @property
    def profile_name(self) -> str:
        """The file's name without .toml, as meta.json has it."""
        return Path(self.profile).name.removesuffix(".toml")

    def command(self, options: str) -> str:
        return f"rltui train {self.profile} {options}"


class _Search:
    """What a run has to go on from, newest first, and what had to be passed over."""

    def __init__(self, paths: RunPaths) -> None:
        self.paths = paths
        self.passed: list[str] = []
        found = list_checkpoints(paths) + list_milestones(paths)
        self._left = sorted(found, key=lambda info: (info.commit is None, info.commit or 0, not info.milestone))
        self.anything = bool(found)
        self.last_commit = max((info.commit or 0 for info in found), default=0)

    def head(self) -> tuple[CheckpointInfo, Meta] | None:
        """The newest that looks complete."""
        while self._left:
            info = self._left[-1]
            if info.damage is None and info.meta is not None:
                return info, info.meta
            self._pass_over(info.damage)
        return None

    def is_sound(self) -> bool:
        """Whether every byte of the head is right; where not, the next becomes the head."""
        reason = checkpoint.damage(self._left[-1].path, thorough=True)
        if reason is not None:
            self._pass_over(reason)
        return reason is None

    def newest(self) -> tuple[CheckpointInfo, Meta] | None:
        """The newest that is sound."""
        while (head := self.head()) is not None and not self.is_sound():
            pass
        return head

    def _pass_over(self, reason: str | None) -> None:
        info = self._left.pop()
        self.passed.append(f"{info.name} of run {self.paths.name!r} is passed over: {reason}")


def choose_resume(
    data: DataDir,
    signature: Signature,
    *,
    profile: str,
    run: str | None = None,
    mode: str = "auto",
    fork: bool = False,
    now: float | None = None,
) -> ResumePlan:
    """What a start of `profile` (a name or path, for run names and hints) does.

    signature: what the profile needs. run: `--run`. mode: `auto`, `new`, or a checkpoint's path (`--resume`).
    fork: from that path a new run of this profile begins, whatever it is the newest of (`--fork-from`). now: Unix seconds. Every byte of the chosen checkpoint has been checked. Raises RltuiError (exit 1) where nothing
    fits, the checkpoint is damaged, or the run is being trained.
    """
    if run is not None:
        data.run(run)
    start = _Start(data, signature, profile, run, time.time() if now is None else now)
    if fork:
        return _fork(start, absolute(mode))
    if mode == "new":
        return _new(start)
    if mode == "auto":
        return _auto(start) if run is None else _auto_of_run(start, data.run(run))
    return _explicit(start, absolute(mode))


def confirm(data: DataDir, plan: ResumePlan) -> None:
    """Called with the lock of `plan.run` held: RltuiError if another trainer was there between plan and lock."""
    newest = _Search(data.run(plan.run)).last_commit
    if newest > plan.last_commit:
        raise RltuiError(
            f"run {plan.run!r} was trained by others meanwhile: its newest commit is {newest}, expected {plan.last_commit}",
            "start again",
        )


def _new(start: _Start) -> ResumePlan:
    if start.run is not None and _Search(start.data.run(start.run)).anything:
        raise RltuiError(
            f"run {start.run!r} exists: a new run needs a name of its own",
            f"go on with it: {start.command(f'--run {start.run}')}\nor choose another name: --run NAME",
        )
    return _from_zero(start.data.run(_free_name(start)), "a new run, as asked for")


def _from_zero(paths: RunPaths, why: str) -> ResumePlan:
    """A run that died before its first save has a journal all the same."""
    return ResumePlan("new", paths.name, f"{why}: training starts from zero", rewind=os.path.lexists(paths.journal))


def _free_name(start: _Start) -> str:
    if start.run is not None:
        return start.run
    name = default_run_name(start.profile_name)
    return branch_name(start.data, name) if start.data.has_run(name) else name


def _auto(start: _Start) -> ResumePlan:
    """The newest, by time of saving, of every free run's newest; those of the same profile come before all others."""
    unfit: list[str] = []
    searches: list[_Search] = []
    for name in start.data.run_names():
        trainer = holder(start.data.run(name))
        if trainer is None:
            searches.append(_Search(start.data.run(name)))
        else:
            unfit.append(f"{name}: is being trained by {trainer}")
    while fitting := [found for search in searches if (found := _fitting(start, search)) is not None]:
        info, meta, search = max(fitting, key=lambda found: (found[1].profile == start.profile_name, found[1].time))
        if search.is_sound():
            why = "the newest run whose observation, table and nets fit this profile"
            if meta.profile not in ("", start.profile_name):
                why += f"; so far it was trained with profile {meta.profile!r}"
            return _resume(start, info, meta, search, why)
    unfit += [reason for search in searches if (reason := _why_unfit(start, search))]
    if unfit:
        raise _nothing_fits(start, unfit)
    return _from_zero(start.data.run(_free_name(start)), "there is no run to go on with")


def _fitting(start: _Start, search: _Search) -> tuple[CheckpointInfo, Meta, _Search] | None:
    head = search.head()
    return None if head is None or start.signature.differences(head[1].signature) else (*head, search)


def _why_unfit(start: _Start, search: _Search) -> str | None:
    """None for a run that has nothing: it is no reason not to start one."""
    head = search.head()
    if head is not None:
        return f"{search.paths.name}: {'; '.join(start.signature.differences(head[1].signature))}"
    return f"{search.paths.name}: no usable checkpoint ({search.passed[0]})" if search.passed else None


def _auto_of_run(start: _Start, paths: RunPaths) -> ResumePlan:
    _refuse_locked(paths)
    search = _Search(paths)
    newest = search.newest()
    if newest is not None and not start.signature.differences(newest[1].signature):
        return _resume(start, *newest, search, "the newest complete checkpoint of the run asked for")
    reason = _why_unfit(start, search)
    if reason is not None:
        raise _nothing_fits(start, [reason])
    there = "has no checkpoint yet" if paths.exists() else "does not exist yet"
    return _from_zero(paths, f"run {paths.name!r} {there}")


def _nothing_fits(start: _Start, unfit: list[str]) -> RltuiError:
    more = [f"… and {len(unfit) - _MOST_NAMED} more"] if len(unfit) > _MOST_NAMED else []
    what = "the run cannot go on" if start.run else f"{counted(len(unfit), 'run')} there, but none to go on with"
    return RltuiError(
        "\n  ".join([f"{what}:", *unfit[:_MOST_NAMED], *more]),
        f"to start from zero: {start.command('--resume new' + (' --run NAME' if start.run else ''))}",
    )


def _explicit(start: _Start, asked: Path) -> ResumePlan:
    home = _home(start.data, asked)
    info, meta = _usable(start, asked, home, "--resume")
    if home is not None and info.commit == newest_commit(home) and start.run in (None, home.name):
        _refuse_locked(home)
        return _resume(start, info, meta, _Search(home), "asked for by path, and the run's newest")
    return _branch(start, info, meta, home)


def _fork(start: _Start, asked: Path) -> ResumePlan:
    """Always a run of its own, called as a new run of the profile would be."""
    home = _home(start.data, asked)
    info, meta = _usable(start, asked, home, "--fork-from")
    name = _free_name(start)
    if start.data.has_run(name):
        raise RltuiError(f"run {name!r} exists: a fork needs a name of its own", "choose another name: --run NAME")
    source = _source(meta, home)
    return _leaving(
        f"a fork: the new run {name!r} begins as {info.name} of run {source!r}, at {meta.timesteps:,} timesteps, and "
        f"learns by profile {start.profile_name!r}",
        name,
        (info, meta, home),
    )


def _usable(start: _Start, asked: Path, home: RunPaths | None, option: str) -> tuple[CheckpointInfo, Meta]:
    """The saved state asked for, or the newest in a run's folder of checkpoints. RltuiError unless it is sound and fits."""
    path = _newest_in(home) if home is not None and _real(asked) == _real(home.checkpoints) else asked
    if not is_folder(path):
        raise RltuiError(f"{option} {path}: there is no such folder", "see what there is: rltui ls")
    info = look(path)
    reason = info.damage or checkpoint.damage(path, thorough=True)
    if reason is not None or info.meta is None:
        raise RltuiError(f"{option} {path}: {reason}", _instead(start, home, option))
    differences = start.signature.differences(info.meta.signature)
    if differences:
        raise RltuiError(
            "\n  ".join([f"{option} {path} does not fit this profile:", *differences]),
            f"to start from zero: {start.command('--resume new')}",
        )
    return info, info.meta


def _home(data: DataDir, path: Path) -> RunPaths | None:
    """The run whose checkpoint or milestone (or folder of checkpoints) the path is; None for one from elsewhere."""
    real = _real(path)
    for name in data.run_names():
        run = data.run(name)
        if _real(run.checkpoints) in (real, real.parent) or _real(run.milestones) in real.parents:
            return run
    return None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve, no error for a loop of links


def _newest_in(home: RunPaths) -> Path:
    newest = _Search(home).newest()
    return home.checkpoints if newest is None else newest[0].path


def _instead(start: _Start, home: RunPaths | None, option: str) -> str:
    newest = _Search(home).newest() if home is not None else None
    return "" if newest is None else f"the newest good one: {start.command(f'{option} {newest[0].path}')}"


def _resume(start: _Start, info: CheckpointInfo, meta: Meta, search: _Search, why: str) -> ResumePlan:
    name = search.paths.name
    saved = ago(start.now - meta.time)
    return ResumePlan(
        "resume",
        name,
        f"run {name!r} goes on at {meta.timesteps:,} timesteps ({info.name}, saved {saved}): {why}",
        info.path,
        meta.timesteps,
        meta.commit,
        search.last_commit,
        meta.parent,
        warnings=tuple(search.passed),
    )


def _branch(start: _Start, info: CheckpointInfo, meta: Meta, home: RunPaths | None) -> ResumePlan:
    if start.run is not None and start.data.has_run(start.run):
        raise RltuiError(
            f"run {start.run!r} exists, and {info.path} is not its newest checkpoint", "choose another name: --run NAME"
        )
    source = _source(meta, home)
    name = start.run or branch_name(start.data, source)
    why = "it is not that run's newest" if home is not None and start.run is None else "as asked for"
    return _leaving(
        f"a new branch {name!r} leaves run {source!r} at {meta.timesteps:,} timesteps ({info.name}): {why}",
        name,
        (info, meta, home),
    )


def _source(meta: Meta, home: RunPaths | None) -> str:
    """The run that a branch or fork leaves, as its parent is recorded."""
    return home.name if home is not None else meta.run if name_problem(meta.run) is None else "imported"


def _leaving(reason: str, name: str, found: tuple[CheckpointInfo, Meta, RunPaths | None]) -> ResumePlan:
    info, meta, home = found
    return ResumePlan(
        "branch",
        name,
        reason,
        info.path,
        meta.timesteps,
        meta.commit,
        parent=f"{_source(meta, home)}@{meta.timesteps}",
        parent_run=home.name if home is not None else None,
    )


def _refuse_locked(paths: RunPaths) -> None:
    trainer = holder(paths)
    if trainer is not None:
        raise RltuiError(
            f"run {paths.name!r} is being trained already: {trainer}",
            f"watch it: rltui attach {paths.name}\nor train another: --run NAME",
        )
