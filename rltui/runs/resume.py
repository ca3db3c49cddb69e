"""Where a start goes on from, and why, in words: decided before anything starts."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError, did_you_mean, hints
from rltui.formatting import ago, plural
from rltui.runs import checkpoint, meta
from rltui.runs.checkpoint import DamagedError
from rltui.runs.inventory import CheckpointInfo, list_states, newest_commit, read_checkpoint_info
from rltui.runs.lock import lock_holder
from rltui.runs.meta import Meta, Signature
from rltui.runs.paths import DataDir, RunPaths, absolute, branch_name, default_run_name, is_folder, name_problem
from rltui.runs.resolve import find_checkpoint
from rltui.runs.summary import profile_name
from rltui.safe_io import real

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
class StartRequest:
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


class BeingTrained(RltuiError):
    """A trainer has the run: nothing is wrong with what is saved of it."""


class NothingFits(RltuiError):
    """What is saved does not fit the profile: training can only start from zero."""


class RunSearch:
    """What a run has to go on from, newest first, and what had to be passed over."""

    def __init__(self, paths: RunPaths) -> None:
        self.paths = paths
        self.passed: list[str] = []
        self._left = list_states(paths)
        self.anything = bool(self._left)
        self.last_commit = max((info.commit or 0 for info in self._left), default=0)

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

    An explicit path, else (`auto`) the newest complete checkpoint of a run that fits and that nobody trains. Runs that do not
    fit stop the start: no setting silently opens a new run. Whatever is not a run's newest commit goes on as a branch.

    signature: what the profile needs. run: `--run`. mode: `auto`, `new`, or a checkpoint's path or RUN/MILESTONE
    (`--resume`). fork: from that one a new run of this profile begins, whatever it is the newest of (`--fork-from`). now:
    Unix seconds. Every byte of the chosen checkpoint has been checked. Raises NothingFits, BeingTrained where the run is
    being trained, RltuiError where the checkpoint is damaged (all exit 1).
    """
    if run is not None:
        data.run(run)
    start = StartRequest(data, signature, profile, run, time.time() if now is None else now)
    if fork:
        return fork_plan(start, _asked(start, mode, "--fork-from"))
    if mode == "new":
        return _new(start)
    if mode == "auto":
        return _auto(start) if run is None else _auto_of_run(start, data.run(run))
    return plan_from_path(start, _asked(start, mode, "--resume"))


def _asked(start: StartRequest, text: str, option: str) -> Path:
    """The folder, given by its path or as RUN/MILESTONE."""
    path = absolute(text)
    if os.path.lexists(path):
        return path
    try:
        return find_checkpoint(start.data, text, lambda state: start.command(f"{option} {state}"))[1].path
    except RltuiError as error:
        message = f"{option} {text}: there is no such folder; {error.message}"
        near = did_you_mean(text, ("auto", "new")) if option == "--resume" else ""
        raise RltuiError(message, hints(near, error.hint), error.exit_code) from error


def confirm(data: DataDir, plan: ResumePlan) -> None:
    """Called with the lock of `plan.run` held: RltuiError if another trainer was there between plan and lock."""
    newest = RunSearch(data.run(plan.run)).last_commit
    if newest > plan.last_commit:
        raise RltuiError(
            f"run {plan.run!r} was trained by others meanwhile: its newest commit is {newest}, expected {plan.last_commit}",
            "start again: it goes on from that one",
        )


def resume_plan(start: StartRequest, info: CheckpointInfo, meta: Meta, search: RunSearch, why: str) -> ResumePlan:
    """The plan to go on with the run from what was found in it. why: ends the sentence that people read."""
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


def refuse_locked(paths: RunPaths) -> None:
    """BeingTrained while a trainer has the run."""
    trainer = lock_holder(paths)
    if trainer is not None:
        raise BeingTrained(
            f"run {paths.name!r} is being trained already: {trainer}",
            f"watch it: rltui attach {paths.name}\nor train another: --run NAME",
        )


def plan_from_path(start: StartRequest, asked: Path) -> ResumePlan:
    """On from the newest of a run, else a branch. RltuiError where it is damaged, does not fit, or its run is trained."""
    home = _home(start.data, asked)
    info, meta = _usable(start, asked, home, "--resume")
    if home is not None and info.commit == newest_commit(home) and start.run in (None, home.name):
        refuse_locked(home)
        return resume_plan(start, info, meta, RunSearch(home), "asked for by path, and the run's newest")
    return _branch(start, info, meta, home)


def fork_plan(start: StartRequest, asked: Path) -> ResumePlan:
    """Always a run of its own, called as a new run of the profile would be."""
    home = _home(start.data, asked)
    info, meta = _usable(start, asked, home, "--fork-from")
    name = start.free_name()
    if start.data.has_run(name):
        raise RltuiError(f"run {name!r} exists: a fork needs a name of its own", "choose another name: --run NAME")
    source = _source(meta, home)
    return _leaving(
        f"a fork: the new run {name!r} begins as {info.name} of run {source!r}, at {meta.timesteps:,} timesteps, and "
        f"learns by profile {start.profile_name!r}",
        name,
        (info, meta, home),
    )


def _usable(start: StartRequest, asked: Path, home: RunPaths | None, option: str) -> tuple[CheckpointInfo, Meta]:
    """The saved state asked for, or the newest in a run's folder of checkpoints. RltuiError unless it is sound and fits."""
    path = _newest_in(home) if home is not None and real(asked) == real(home.checkpoints) else asked
    if not is_folder(path):
        raise RltuiError(f"{option} {path}: there is no such folder", "see what there is: rltui milestones")
    info = read_checkpoint_info(path)
    reason = info.damage or checkpoint.damage(path, thorough=True)
    if reason is not None or info.meta is None:
        raise RltuiError(f"{option} {path}: {reason}", _instead(start, home, option))
    differences = start.signature.differences(info.meta.signature)
    if differences:
        raise NothingFits(
            "\n  ".join([f"{option} {path} does not fit this profile:", *differences]),
            f"to start from zero: {start.command('--resume new')}",
        )
    return info, info.meta


def _home(data: DataDir, path: Path) -> RunPaths | None:
    """The run whose checkpoint or milestone (or folder of checkpoints) the path is; None for one from elsewhere."""
    place = real(path)
    for name in data.run_names():
        run = data.run(name)
        if real(run.checkpoints) in (place, place.parent) or real(run.milestones) in place.parents:
            return run
    return None


def _newest_in(home: RunPaths) -> Path:
    newest = RunSearch(home).newest()
    return home.checkpoints if newest is None else newest[0].path


def _instead(start: StartRequest, home: RunPaths | None, option: str) -> str:
    newest = RunSearch(home).newest() if home is not None else None
    return "" if newest is None else f"the newest good one: {start.command(f'{option} {newest[0].path}')}"


def _branch(start: StartRequest, info: CheckpointInfo, meta: Meta, home: RunPaths | None) -> ResumePlan:
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


def _new(start: StartRequest) -> ResumePlan:
    if start.run is not None and RunSearch(start.data.run(start.run)).anything:
        raise RltuiError(
            f"run {start.run!r} exists: a new run needs a name of its own",
            f"go on with it: {start.command(f'--run {start.run}')}\nor choose another name: --run NAME",
        )
    return _from_zero(start.data.run(start.free_name()), "a new run")


def _from_zero(paths: RunPaths, why: str) -> ResumePlan:
    """A run that died before its first save has a journal all the same."""
    return ResumePlan("new", paths.name, f"{why}: training starts from zero", rewind=os.path.lexists(paths.journal))


def _auto(start: StartRequest) -> ResumePlan:
    """The newest, by time of saving, of every free run's newest; those of the same profile come before all others."""
    unfit: list[str] = []
    searches: list[RunSearch] = []
    for name in start.data.run_names():
        trainer = lock_holder(start.data.run(name))
        if trainer is None:
            searches.append(RunSearch(start.data.run(name)))
        else:
            unfit.append(f"{name}: is being trained by {trainer}")
    while fitting := [found for search in searches if (found := _fitting(start, search)) is not None]:
        info, meta, search = max(fitting, key=lambda found: (found[1].profile == start.profile_name, found[1].time))
        if search.is_sound():
            why = "the newest run whose observation, table and nets fit this profile"
            if meta.profile not in ("", start.profile_name):
                why += f"; so far it was trained with profile {meta.profile!r}"
            return resume_plan(start, info, meta, search, why)
    unfit += [reason for search in searches if (reason := _why_unfit(start, search))]
    if unfit:
        raise _nothing_fits(start, unfit)
    return _from_zero(start.data.run(start.free_name()), "there is no run to go on with")


def _fitting(start: StartRequest, search: RunSearch) -> tuple[CheckpointInfo, Meta, RunSearch] | None:
    head = search.head()
    return None if head is None or start.signature.differences(head[1].signature) else (*head, search)


def _why_unfit(start: StartRequest, search: RunSearch) -> str | None:
    """None for a run that has nothing: it is no reason not to start one."""
    head = search.head()
    if head is not None:
        return f"{search.paths.name}: {'; '.join(start.signature.differences(head[1].signature))}"
    return f"{search.paths.name}: no usable checkpoint ({search.passed[0]})" if search.passed else None


def _auto_of_run(start: StartRequest, paths: RunPaths) -> ResumePlan:
    refuse_locked(paths)
    search = RunSearch(paths)
    newest = search.newest()
    if newest is not None and not start.signature.differences(newest[1].signature):
        return resume_plan(start, *newest, search, "the newest complete checkpoint of the run asked for")
    reason = _why_unfit(start, search)
    if reason is not None:
        raise _nothing_fits(start, [reason])
    there = "has no checkpoint yet" if paths.exists() else "does not exist yet"
    return _from_zero(paths, f"run {paths.name!r} {there}")


def _nothing_fits(start: StartRequest, unfit: list[str]) -> NothingFits:
    more = [f"… and {len(unfit) - _MOST_NAMED} more"] if len(unfit) > _MOST_NAMED else []
    what = "the run cannot go on" if start.run else f"{plural(len(unfit), 'run')} there, but none to go on with"
    return NothingFits(
        "\n  ".join([f"{what}:", *unfit[:_MOST_NAMED], *more]),
        f"to start from zero: {start.command('--resume new' + (' --run NAME' if start.run else ''))}",
    )


def with_source_warnings(plan: ResumePlan, sources: Mapping[str, str]) -> ResumePlan:
    """The plan with a warning for each changed file. sources: name → hash of the file, as the profile has them now."""
    if plan.checkpoint is None or not sources:
        return plan
    try:
        then = meta.read(plan.checkpoint).sources
    except (OSError, DamagedError):  # the plan's own reader says so
        return plan
    return replace(plan, warnings=(*plan.warnings, *changed_sources(sources, then)))


def changed_sources(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """One sentence for each file that was another one when a state was saved; what was not there then is no change."""
    return [
        f"{name} is not as it was when this was saved: its file has been changed since"
        for name, content in now.items()
        if then.get(name, content) != content
    ]
