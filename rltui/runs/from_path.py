"""A start from a saved state asked for by its path: its run goes on from its newest, anything else is a branch or a fork."""

from __future__ import annotations

from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs import checkpoint
from rltui.runs.listing import CheckpointInfo, look, newest_commit
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths, branch_name, is_folder, name_problem
from rltui.runs.refusals import NothingFits
from rltui.runs.resume_plan import ResumePlan, StartAsked
from rltui.runs.run_search import RunSearch, refuse_locked, resumed
from rltui.safe_io import real


def from_path(start: StartAsked, asked: Path) -> ResumePlan:
    """On from the newest of a run, else a branch. RltuiError where it is damaged, does not fit, or its run is trained."""
    home = _home(start.data, asked)
    info, meta = _usable(start, asked, home, "--resume")
    if home is not None and info.commit == newest_commit(home) and start.run in (None, home.name):
        refuse_locked(home)
        return resumed(start, info, meta, RunSearch(home), "asked for by path, and the run's newest")
    return _branch(start, info, meta, home)


def forked(start: StartAsked, asked: Path) -> ResumePlan:
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


def _usable(start: StartAsked, asked: Path, home: RunPaths | None, option: str) -> tuple[CheckpointInfo, Meta]:
    """The saved state asked for, or the newest in a run's folder of checkpoints. RltuiError unless it is sound and fits."""
    path = _newest_in(home) if home is not None and real(asked) == real(home.checkpoints) else asked
    if not is_folder(path):
        raise RltuiError(f"{option} {path}: there is no such folder", "see what there is: rltui milestones")
    info = look(path)
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


def _instead(start: StartAsked, home: RunPaths | None, option: str) -> str:
    newest = RunSearch(home).newest() if home is not None else None
    return "" if newest is None else f"the newest good one: {start.command(f'{option} {newest[0].path}')}"


def _branch(start: StartAsked, info: CheckpointInfo, meta: Meta, home: RunPaths | None) -> ResumePlan:
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
