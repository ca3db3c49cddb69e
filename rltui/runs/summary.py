"""Every run in a few lines, from little reading: for `rltui ls` and the launcher. No garbage on disk makes it raise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from rltui import plain_file
from rltui.errors import RltuiError
from rltui.events.episode_reward import EpisodeReward, RewardWindow, newest_window
from rltui.events.records import IterationFinished, Record, RunFinished, RunStarted
from rltui.runs.glance import stamp
from rltui.runs.history import current_line, describe_unclean
from rltui.runs.journal import LARGEST_PART, read_end, read_start
from rltui.runs.lesson_now import lesson_now
from rltui.runs.listing import CheckpointInfo, list_checkpoints, list_milestones
from rltui.runs.lock import holder
from rltui.runs.meta import Meta
from rltui.runs.milestones import Mark, read_marks
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.recent_speed import RecentSpeed, recent_speed

_FURTHER = 1 << 22  # bytes of journal looked at where the last few hold no iteration, or too few episodes


class SavedState(msgspec.Struct, frozen=True):
    """A checkpoint or milestone, as listed."""

    path: str
    name: str  # `checkpoint 250000`, `milestone Phase1-BallTouching/005M`
    timesteps: int
    meta: Meta | None
    damage: str | None
    mark: Mark = Mark()


class RunShape(msgspec.Struct, frozen=True):
    """What decides how fast a run is, as its newest start had it."""

    host: str
    device: str
    workers: int
    arenas: int
    cars: int
    obs_size: int
    actions: int
    policy_layers: list[int]
    critic_layers: list[int]
    batch: int
    epochs: int


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One run. Unknown is None."""

    name: str
    state: Literal["training", "stopped", "failed", "unclean", "empty"]  # training: its lock is held
    note: str  # what `state` does not say: how it ended uncleanly, which file is damaged
    pid: int | None  # of the trainer
    host: str | None
    since: float | None
    profile: str | None  # by which it is trained now
    phase_profile: str | None  # of a campaign: the profile of the phase it is in
    label: str | None
    phase: int | None
    parent: str | None  # `<run>@<timesteps>`
    started: float | None  # Unix seconds, of the first start
    updated: float | None  # of the newest record or checkpoint
    timesteps: int | None
    iteration: int | None
    metrics: dict[str, float | None]  # of the newest iteration
    reward: EpisodeReward  # over the newest episodes
    checkpoint: SavedState | None  # the newest complete one
    checkpoints: int  # complete ones
    milestones: list[SavedState]  # oldest first
    damaged: list[SavedState]
    shape: RunShape | None = None
    speed: RecentSpeed | None = None


def describe_runs(data: DataDir) -> list[RunSummary]:
    """All runs, the one with the newest record first."""
    runs = [describe_run(data.run(name)) for name in data.run_names()]
    return sorted(runs, key=lambda run: run.updated or 0.0, reverse=True)


def describe_run(paths: RunPaths, brief: bool = False) -> RunSummary:
    """One run; all unknown where there is nothing. brief: its reward may be over fewer episodes than there are."""
    checkpoints, milestones = list_checkpoints(paths), list_milestones(paths)
    marks, note = _marks(paths)
    whole = [info for info in checkpoints if info.damage is None]
    records = current_line(read_end(paths.journal)) if brief else _newest_records(paths)
    row = next((record for record in reversed(records) if isinstance(record, IterationFinished)), None)
    header = next((record for record in reversed(records) if isinstance(record, RunStarted)), None)
    first = next((record for record in read_start(paths.journal) if isinstance(record, RunStarted)), header)
    trainer = holder(paths)
    unclean = describe_unclean(records) if trainer is None else None
    failure = _failure(records) if trainer is None else ""
    newest = whole[-1] if whole else None
    metas = [info.meta for info in milestones + whole if info.meta is not None]
    meta = max(metas, key=lambda meta: meta.commit, default=None)
    lesson = lesson_now(records, meta, first)
    return RunSummary(
        name=paths.name,
        state="training" if trainer else _ended_as(bool(unclean), bool(failure), bool(records or metas)),
        note="; ".join(text for text in (unclean, failure, note, *_unreadable(paths, records)) if text),
        pid=trainer.pid if trainer else None,
        host=trainer.host if trainer else None,
        since=trainer.since if trainer else None,
        profile=lesson.profile,
        phase_profile=lesson.phase_profile,
        label=lesson.label,
        phase=lesson.phase,
        parent=meta.parent if meta else None,
        started=first.time if first else None,
        updated=max([record.time for record in records[-1:]] + [meta.time for meta in metas], default=None),
        timesteps=row.timesteps if row else meta.timesteps if meta else None,
        iteration=row.iteration if row else None,
        metrics=row.metrics if row else {},
        reward=newest_window(records).value,
        checkpoint=_saved(newest, marks) if newest else None,
        checkpoints=len(whole),
        milestones=[_saved(info, marks) for info in milestones if info.damage is None],
        damaged=[_saved(info, marks) for info in milestones + checkpoints if info.damage is not None],
        shape=_shape(header or first),
        speed=recent_speed(records),
    )


def _shape(header: RunStarted | None) -> RunShape | None:
    if header is None:
        return None
    return RunShape(
        header.host,
        header.device,
        header.workers,
        header.arenas,
        header.blue + header.orange,
        header.obs_size,
        header.actions,
        header.policy_layers,
        header.critic_layers,
        header.batch,
        header.epochs,
    )


def _ended_as(unclean: bool, failed: bool, begun: bool) -> Literal["stopped", "failed", "unclean", "empty"]:
    return "unclean" if unclean else "failed" if failed else "stopped" if begun else "empty"


def _failure(records: list[Record]) -> str:
    """Why the last session ended with an error; empty where it did not."""
    end = next((record for record in reversed(records) if isinstance(record, RunFinished | RunStarted)), None)
    return end.reason if isinstance(end, RunFinished) and end.exit_code else ""


def reward_so_far(paths: RunPaths, timesteps: int) -> RewardWindow:
    """Of the newest episodes at this step count, from which training goes on."""
    return RewardWindow(
        record
        for record in _newest_records(paths)
        if not (isinstance(record, IterationFinished) and record.timesteps > timesteps)
    )


def _newest_records(paths: RunPaths) -> list[Record]:
    """The journal's end without what was taken back, as far as it takes to hold an iteration and its reward's episodes."""
    records = current_line(read_end(paths.journal))
    if records and not newest_window(records).full:
        records = current_line(read_end(paths.journal, _FURTHER))
    return records


def _marks(paths: RunPaths) -> tuple[dict[str, Mark], str]:
    try:
        return read_marks(paths), ""
    except RltuiError as error:
        return {}, error.message


def _unreadable(paths: RunPaths, records: list[Record]) -> Iterator[str]:
    """Files without which a run looks other than it is."""
    for path in (paths.journal, paths.lock):
        if problem := plain_file.problem(path, LARGEST_PART):
            yield f"{path} cannot be read: {problem}; mend it or move it away"
        elif path == paths.journal and not records and (stamp(path) or (0, 0))[1]:
            yield f"{path} holds no record that can be read; mend it or move it away"


def _saved(info: CheckpointInfo, marks: dict[str, Mark]) -> SavedState:
    mark = marks.get(info.milestone, Mark())
    return SavedState(str(info.path), info.name, info.timesteps, info.meta, info.damage, mark)
