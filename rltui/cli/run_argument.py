"""Which run is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.errors import RltuiError, did_you_mean, hints

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir, RunPaths


def newest(data: DataDir, name: str | None) -> RunPaths:
    """The run of that name; without one, the run with the newest record. RltuiError where there is none."""
    from rltui.runs.summary import newest_run

    if name is not None:
        return _existing(data, name)
    found = newest_run(data)
    if found is None:
        raise RltuiError(
            f"there are no runs in {data.root}", "start one: rltui train PROFILE; elsewhere: --data-dir DIR"
        )
    return data.run(found)


def training(data: DataDir, name: str | None) -> RunPaths:
    """The run of that name; without one, the only run that is training. RltuiError where none or several are."""
    from rltui.runs.lock import holder

    if name is not None:
        return _existing(data, name)
    running = [run for run in data.run_names() if holder(data.run(run)) is not None]
    if not running:
        raise RltuiError(f"no run in {data.root} is training", "rltui ls shows the runs; elsewhere: --data-dir DIR")
    if len(running) > 1:
        raise RltuiError(f"{len(running)} runs are training: {', '.join(running)}", "say which one", exit_code=2)
    return data.run(running[0])


def _existing(data: DataDir, name: str) -> RunPaths:
    paths = data.run(name)
    if paths.exists():
        return paths
    raise RltuiError(
        f"there is no run {name!r} in {data.root}",
        hints(did_you_mean(name, data.run_names()), "rltui ls shows the runs; elsewhere: --data-dir DIR"),
    )
