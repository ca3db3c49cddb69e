"""LaunchPlan: what a start does, from where and why, decided before anything is written."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError, did_you_mean, hints
from rltui.events.records import run_again
from rltui.formatting import ago
from rltui.runs import checkpoint, rlgym_ppo, trainer_state
from rltui.runs.best import reward_caveat
from rltui.runs.inventory import CheckpointInfo, list_states, newest_commit, read_checkpoint_info
from rltui.runs.journal_reader import script_header
from rltui.runs.lock import Holder, being_trained, lock_holder, start_number
from rltui.runs.meta import Meta, Signature
from rltui.runs.paths import DataDir, RunPaths, absolute, branch_name, default_run_name, is_folder, name_problem
from rltui.runs.resolve import find_checkpoint, newest_sound_before, run_called
from rltui.runs.summary import describe_run, profile_name
from rltui.safe_io import real

_MOST_NAMED = 5  # runs or differences listed in one message


@dataclass(frozen=True)
class LaunchPlan:
    """What a start does: `title` and `why` say it, `args` make `rltui train PROFILE --run RUN` do it."""

    kind: Literal["new", "resume", "branch"]
    run: str
    why: str
    checkpoint: Path | None = None
    timesteps: int = 0
    commit: int = 0  # of the checkpoint
    last_commit: int = 0  # the highest that `run` has, damaged ones included: its next saved state is last_commit + 1
    parent: str | None = None  # `<run>@<timesteps>`, for meta.json: set by a branch, kept by a resume
    parent_run: str | None = None  # of a branch whose parent lies in the same data folder
    rewind: bool = True  # the journal gets a run_resumed: it has, or may have, rows above `timesteps`
    trained_with: str = ""  # profile of the checkpoint; of a campaign its phase's
    fork: bool = False  # a branch named as a new run of its profile
    imported: bool = False  # a fork whose checkpoint rlgym-ppo saved: whether it fits is seen when it is loaded
    warnings: tuple[str, ...] = ()
    profile: str = ""  # as the start is told of it
    steps: int | None = None  # total at which it ends; what is reached already has to be asked for anew
    force: bool = False
    instead: LaunchPlan | None = None  # offered beside it: a branch of another profile's run

    @property
    def title(self) -> str:
        """`resume alpha at 11,468,800 timesteps`."""
        verb = {"resume": "resume", "branch": "branch off as"}.get("" if self.fork else self.kind, "start the new run")
        return f"{verb} {self.run}" + (f" at {self.timesteps:,} timesteps" if self.checkpoint else "")

    @property
    def reason(self) -> str:
        """Title and why, for journal and console."""
        return f"{self.title}, {self.why}"

    def files(self) -> dict[str, bytes]:
        """Of the checkpoint, by name; none where it starts from zero. RltuiError names the damaged file."""
        if self.checkpoint is None:
            return {}
        return rlgym_ppo.read(self.checkpoint)[0] if self.imported else checkpoint.read_checkpoint(self.checkpoint)

    @property
    def reached(self) -> bool:
        """Whether the step limit lies behind."""
        return self.steps is not None and self.steps <= self.timesteps

    @property
    def args(self) -> tuple[str, ...]:
        """Options of `rltui train`."""
        args: list[str] = []
        if self.kind == "new":
            args = ["--resume", "new"]
        elif self.kind == "branch":
            args = ["--fork-from" if self.fork else "--resume", str(self.checkpoint)]
        args += ["--steps", str(self.steps)] if self.steps is not None and not self.reached else []
        return (*args, "--force") if self.force else tuple(args)


@dataclass(frozen=True)
class StartRequest:
    """What was asked for.

    signature: what the profile needs; None for one that was saved with what it goes on from. profile: a name or path, for run
    names and hints. sources: of the profile's own components, name → hash of the file; changed ones are warned of. said: by
    phase and setting, what the profile says of it (`env.from_profile.said_settings`), by which what is set by hand holds and
    is named; empty: nothing.
    """

    data: DataDir
    signature: Signature | None
    profile: str
    run: str | None = None  # `--run`
    mode: str = (
        "auto"  # or `new`, `own` (as `auto`, of this profile's runs alone), or a checkpoint's path or RUN/MILESTONE
    )
    fork: bool = False  # from that one a new run of this profile begins, whatever it is the newest of (`--fork-from`)
    sources: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, Mapping[str, str]] | None = None
    take_over: bool = False  # see RunLock
    now: float = field(default_factory=time.time)  # Unix seconds

    @cached_property
    def profile_name(self) -> str:
        """As meta.json has it."""
        return profile_name(self.profile)

    def command(self, options: str) -> str:
        return f"rltui train {self.profile} {options}"

    def differences(self, meta: Meta) -> list[str]:
        """What keeps a saved state from fitting."""
        return self.signature.differences(meta.signature) if self.signature is not None else []

    def warnings(self, info: CheckpointInfo, meta: Meta) -> list[str]:
        """What to know of the state that it goes on from: files changed since, and what is set by hand and holds."""
        phase = meta.phase_profile or meta.profile
        said = None if self.said is None else self.said.get(phase) or next(iter(self.said.values()), {})
        held = trainer_state.held_words(info.path, said)
        return [*changed_sources(self.sources, meta.sources), *([held] if held else [])]

    def trainer(self, paths: RunPaths) -> Holder | None:
        """Who trains the run, and does not have to make way."""
        found = lock_holder(paths)
        return None if found is not None and found.by_name and self.take_over else found

    def free_name(self) -> str:
        """The run asked for, else a new name made of the profile's."""
        if self.run is not None:
            return self.run
        return default_run_name(self.data, self.profile_name)


class NothingFits(RltuiError):
    """What is saved does not fit the profile: training can only start from zero."""


class DamagedState(RltuiError):
    """The state asked for cannot be used. instead: the newest sound one of its run before it."""

    def __init__(self, message: str, hint: str, instead: Path | None) -> None:
        super().__init__(message, hint)
        self.instead = instead


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


def plan_launch(start: StartRequest) -> LaunchPlan:
    """What a start of `profile` does.

    An explicit path, else (`auto`) the newest complete checkpoint of a run that fits and that nobody trains; the bot of another
    profile's run goes on in a new run. While the profile's own newest run is being trained, or just starting, it is refused.
    Runs that do not fit stop the start: no setting silently begins from zero. Whatever is not a run's newest commit goes on as
    a branch. Every byte of the chosen checkpoint has been checked. Raises NothingFits, DamagedState, RltuiError where its run
    is being trained (exit 1).
    """
    data, run, mode = start.data, start.run, start.mode
    if run is not None:
        data.run(run)
    if mode == "new":
        plan = _new(start)
    elif mode not in ("auto", "own"):
        plan = _from_state(start, _asked(start, mode, "--fork-from" if start.fork else "--resume"), start.fork)
    else:
        plan = _auto(start, own=mode == "own") if run is None else _auto_of_run(start, data.run(run))
    if (header := script_header(data.run(plan.run))) is not None:
        raise RltuiError(f"run {plan.run!r} is of a script of others, which goes on by: {run_again(header)}")
    return replace(plan, profile=start.profile, warnings=(*plan.warnings, *_crowd(data, plan.run)))


def _crowd(data: DataDir, run: str) -> list[str]:
    """A sentence where the trainers of other runs have a worker for each core of this machine."""
    locked = [data.run(name) for name in data.run_names() if name != run and lock_holder(data.run(name)) is not None]
    found = [each for each in (describe_run(paths, brief=True) for paths in locked) if each.paused is None]
    busy = {each.name: each.shape.workers for each in found if each.shape and each.shape.host == socket.gethostname()}
    cores = os.cpu_count() or 1
    if sum(busy.values()) < cores:
        return []
    return [f"{' and '.join(busy)} already fill{'s' * (len(busy) == 1)} the {cores} cores: all will train slower"]


def confirm(data: DataDir, plan: LaunchPlan) -> None:
    """Called with the lock of `plan.run` held: RltuiError if another trainer was there between plan and lock."""
    newest = RunSearch(data.run(plan.run)).last_commit
    if newest > plan.last_commit:
        raise RltuiError(
            f"run {plan.run!r} was trained by others meanwhile: its newest commit is {newest}, expected {plan.last_commit}",
            "start again: it goes on from that one",
        )


def _new(start: StartRequest) -> LaunchPlan:
    if start.run is not None and RunSearch(start.data.run(start.run)).anything:
        raise RltuiError(
            f"run {start.run!r} exists: a new run needs a name of its own",
            f"go on with it: {start.command(f'--run {start.run}')}\nor choose another name: --run NAME",
        )
    return _from_zero(start.data.run(start.free_name()), "from zero")


def _from_zero(paths: RunPaths, why: str) -> LaunchPlan:
    """A run that died before its first save has a journal all the same."""
    return LaunchPlan("new", paths.name, why, rewind=os.path.lexists(paths.journal))


def _auto(start: StartRequest, own: bool) -> LaunchPlan:
    """Of the free runs, the one that was started last; those of the same profile come before all others."""
    unfit: list[str] = []
    searches: list[RunSearch] = []
    names = start.data.run_names()
    found = [(RunSearch(paths), start.trainer(paths)) for paths in map(start.data.run, names)]
    _refuse_newest_trained(start, found)
    for name, (search, trainer) in zip(names, found, strict=True):
        if own and ((head := search.head()) is None or head[1].profile != start.profile_name):
            continue
        if trainer is None:
            searches.append(search)
        else:
            way = "; if it is gone, or shall make way: --take-over" if trainer.by_name else ""
            unfit.append(f"{name}: is being trained by {trainer}{way}")
    while fitting := [fits for search in searches if (fits := _fitting(start, search)) is not None]:
        info, meta, search = max(fitting, key=lambda fits: _preference(start, *fits))
        if search.is_sound():
            newest = f"the newest run that fits{' and does not train' if unfit else ''}"
            if meta.profile in ("", start.profile_name):
                return _resume(start, info, meta, search, f": {newest}")
            plan = _from_state(start, info.path, fork=True)
            why = f"with the bot of {search.paths.name}, {newest}, of profile {meta.profile!r}: that run stays as it is"
            return replace(plan, why=why, warnings=(*search.passed, *plan.warnings))
    unfit += [reason for search in searches if (reason := _why_unfit(start, search))]
    if unfit:
        raise _nothing_fits(start, unfit)
    return _from_zero(
        start.data.run(start.free_name()),
        f"from zero: {'this profile has no run' if own and names else 'nothing is saved'} yet",
    )


def _refuse_newest_trained(start: StartRequest, found: list[tuple[RunSearch, Holder | None]]) -> None:
    """Asked for twice, a profile is not trained in two runs: its newest is no run to pass over."""
    own = [pair for pair in found if _profile_trained(*pair) == start.profile_name]
    search, trainer = max(own, key=lambda pair: _recency(*pair), default=(None, None))
    if search is not None and trainer is not None:
        raise being_trained(search.paths, trainer, start.command("--resume new"))


def _profile_trained(search: RunSearch, trainer: Holder | None) -> str:
    """Of what was saved last, or by who trains it now: until that is written, the one that the run is named after."""
    head = search.head()
    if trainer is not None and search.paths.profile.is_file():
        return profile_name(search.paths.profile)
    if head is not None:
        return head[1].profile
    return search.paths.name.rpartition("-")[0] if trainer is not None else ""


def _recency(search: RunSearch, trainer: Holder | None) -> tuple[bool, int, float]:
    """The highest is the newest. A start gets its number last: a trainer without one, and without a saved state, is starting."""
    head, number = search.head(), start_number(search.paths)
    return trainer is not None and head is None and not number, number, head[1].time if head is not None else 0.0


def _preference(start: StartRequest, _: CheckpointInfo, meta: Meta, search: RunSearch) -> tuple[bool, int, float]:
    """The highest is gone on with; of runs older than the numbers of starts, by time of saving."""
    return meta.profile == start.profile_name, start_number(search.paths), meta.time


def _fitting(start: StartRequest, search: RunSearch) -> tuple[CheckpointInfo, Meta, RunSearch] | None:
    head = search.head()
    return None if head is None or start.differences(head[1]) else (*head, search)


def _why_unfit(start: StartRequest, search: RunSearch) -> str | None:
    """None for a run that has nothing: it is no reason not to start one."""
    head = search.head()
    if head is not None:
        return f"{search.paths.name}: {'; '.join(start.differences(head[1]))}"
    return f"{search.paths.name}: no usable checkpoint ({search.passed[0]})" if search.passed else None


def _auto_of_run(start: StartRequest, paths: RunPaths) -> LaunchPlan:
    _refuse_locked(start, paths)
    search = RunSearch(paths)
    newest = search.newest()
    if newest is not None and not start.differences(newest[1]):
        return _resume(start, *newest, search)
    reason = _why_unfit(start, search)
    if reason is not None:
        raise _nothing_fits(start, [reason])
    return _from_zero(paths, f"from zero{': it has no checkpoint yet' if paths.exists() else ''}")


def _nothing_fits(start: StartRequest, unfit: list[str]) -> NothingFits:
    more = [f"… and {len(unfit) - _MOST_NAMED} more"] if len(unfit) > _MOST_NAMED else []
    what = "the run cannot go on" if start.run else "no run to go on with"
    return NothingFits(
        "\n  ".join([f"{what}:", *unfit[:_MOST_NAMED], *more]),
        f"to start from zero: {start.command('--resume new' + (' --run NAME' if start.run else ''))}",
    )


def _resume(start: StartRequest, info: CheckpointInfo, meta: Meta, search: RunSearch, why: str = "") -> LaunchPlan:
    """Going on with the run from what was found in it. why: ends the sentence that people read."""
    return LaunchPlan(
        "resume",
        search.paths.name,
        f"saved {ago(start.now - meta.time)}{why}",
        info.path,
        meta.timesteps,
        meta.commit,
        search.last_commit,
        meta.parent,
        trained_with=meta.phase_profile or meta.profile,
        warnings=(*search.passed, *start.warnings(info, meta)),
    )


def _refuse_locked(start: StartRequest, paths: RunPaths) -> None:
    trainer = start.trainer(paths)
    if trainer is not None:
        raise being_trained(paths, trainer)


def _asked(start: StartRequest, text: str, option: str) -> Path:
    """The folder, given by its path or as RUN/MILESTONE; of a RUN alone that of its checkpoints, of which the newest is meant."""
    path = absolute(text)
    if text.strip() and os.path.lexists(path):
        return path
    try:
        run = run_called(start.data, text)
        if run is not None and is_folder(run.checkpoints) and RunSearch(run).anything:
            return run.checkpoints
        return find_checkpoint(start.data, text, lambda state: start.command(f"{option} {state}"))[1].path
    except RltuiError as error:
        message = f"{option} {text}: there is no such folder; {error.message.removeprefix(f'{text}: ')}"
        near = did_you_mean(text, ("auto", "new")) if option == "--resume" else ""
        raise RltuiError(message, hints(near, error.hint), error.exit_code) from error


def _from_state(start: StartRequest, asked: Path, fork: bool) -> LaunchPlan:
    """On from the newest of a run, else a branch; forked, always a run called as a new one of the profile would be."""
    home = _home(start.data, asked)
    own = home is not None and is_folder(home.folder)  # rlgym-ppo saves in data/checkpoints too
    theirs = None if own else rlgym_ppo.checkpoint_at(asked)
    if theirs is not None:
        return _from_rlgym_ppo(start, theirs)
    info, meta = _usable(start, asked, home, "--fork-from" if fork else "--resume")
    newest = home is not None and info.commit == newest_commit(home)
    if home is not None and newest and not fork and start.run in (None, home.name):
        _refuse_locked(start, home)
        return _resume(start, info, meta, RunSearch(home), ": its newest state")
    source = home.name if home is not None else meta.run if name_problem(meta.run) is None else "imported"
    name = start.free_name() if fork else start.run or branch_name(start.data, source)
    _refuse_taken(start.data, name)
    caveat = reward_caveat(meta)
    doubt = [f"the reward of {info.name} does not count: {caveat}"] if caveat else []
    return LaunchPlan(
        "branch",
        name,
        f"from {info.name} of {source}{'' if fork or newest else ', not its newest state'}",
        info.path,
        meta.timesteps,
        meta.commit,
        parent=f"{source}@{meta.timesteps}",
        parent_run=home.name if home is not None else None,
        trained_with=meta.phase_profile or meta.profile,
        fork=fork,
        warnings=(*doubt, *start.warnings(info, meta)),
    )


def _from_rlgym_ppo(start: StartRequest, folder: Path) -> LaunchPlan:
    """A new run of the profile, whose observation and action table are taken to be those that it was trained with."""
    _, timesteps = rlgym_ppo.read(folder)
    name = start.free_name()
    _refuse_taken(start.data, name)
    why = f"from rlgym-ppo's checkpoint {folder.parent.name}/{folder.name}"
    origin = f"rlgym-ppo@{timesteps}"
    return LaunchPlan("branch", name, why, folder, timesteps, parent=origin, fork=True, imported=True)


def _refuse_taken(data: DataDir, name: str) -> None:
    if data.has_run(name):
        raise RltuiError(f"run {name!r} exists: a branch needs a name of its own", "choose another name: --run NAME")


def _usable(start: StartRequest, asked: Path, home: RunPaths | None, option: str) -> tuple[CheckpointInfo, Meta]:
    """The saved state asked for, or the newest in a run's folder of checkpoints, sound and fitting."""
    path = asked
    if home is not None and real(asked) == real(home.checkpoints) and (newest := RunSearch(home).newest()) is not None:
        path = newest[0].path
    if not is_folder(path):
        where = f"{path.name} of {home.name}" if home is not None else f"{option} {path}"
        raise RltuiError(f"{where}: it is not a folder", "see what there is: rltui milestones")
    info = read_checkpoint_info(path)
    name = f"{info.name} of {home.name}" if home is not None else str(path)
    reason = info.damage or checkpoint.damage(path, thorough=True)
    if reason is not None or info.meta is None:
        good = newest_sound_before(home, info) if home is not None else None
        hint = f"the newest good one before it: {start.command(f'{option} {good.path}')}" if good is not None else ""
        raise DamagedState(f"{name}: {reason}", hint, good.path if good is not None else None)
    differences = start.differences(info.meta)
    if differences:
        raise NothingFits(
            "\n  ".join([f"{name} does not fit this profile:", *differences]),
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


def changed_sources(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """One sentence for each file that was another one when a state was saved; what was not there then is no change."""
    return [
        f"{name} is not as it was when this was saved: its file has been changed since"
        for name, content in now.items()
        if then.get(name, content) != content
    ]
