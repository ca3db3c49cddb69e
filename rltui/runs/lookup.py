"""Which saved state a person means: a folder, or `RUN/Phase1-Name/005M`, `RUN/005M`, `RUN/250000`."""

from __future__ import annotations

import difflib

from rltui.errors import RltuiError
from rltui.runs import checkpoint
from rltui.runs.inside import run_of
from rltui.runs.listing import CheckpointInfo, complete, list_checkpoints, list_milestones, look
from rltui.runs.paths import DataDir, RunPaths, absolute, is_folder, name_problem


def find(data: DataDir, text: str) -> tuple[RunPaths, CheckpointInfo]:
    """The run and the state. RltuiError with the nearest names where there is none, or several are meant."""
    path = absolute(text)
    run = run_of(data, path)
    if run is not None and is_folder(path):
        return run, next((info for info in _all(run) if info.path == path), look(path))
    name, _, rest = text.strip("/").partition("/")
    if not rest or name_problem(name) is not None or not data.has_run(name):
        raise RltuiError(
            f"{text}: there is no such saved state in {data.root}{_near(name, data.run_names())}",
            "rltui milestones lists them",
        )
    return data.run(name), _of_run(data.run(name), rest)


def previous_good(paths: RunPaths, info: CheckpointInfo) -> CheckpointInfo | None:
    """The newest sound state saved before this one (of the run, where its place is not known). Reads every byte."""
    earlier = [
        other
        for other in complete(paths)
        if other.path != info.path and (info.commit is None or (other.commit or 0) <= info.commit)
    ]
    return next((other for other in reversed(earlier) if checkpoint.damage(other.path, thorough=True) is None), None)


def _of_run(run: RunPaths, rest: str) -> CheckpointInfo:
    found = {_name(info): info for info in _all(run)}
    if rest in found:
        return found[rest]
    meant = [name for name in found if name.rpartition("/")[2] == rest]
    if len(meant) > 1:
        raise RltuiError(f"{rest} of run {run.name!r} may be {' or '.join(meant)}", "say which", exit_code=2)
    if not meant:
        near = _near(rest, [*found, *(name.rpartition("/")[2] for name in found)])
        raise RltuiError(f"run {run.name!r} has no saved state {rest!r}{near}", f"rltui milestones list {run.name}")
    return found[meant[0]]


def _name(info: CheckpointInfo) -> str:
    return info.milestone or info.path.name


def _all(run: RunPaths) -> list[CheckpointInfo]:
    return [*list_milestones(run), *list_checkpoints(run)]


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f": did you mean {near[0]!r}?" if near else ""
