"""Summary of a run for lists; name of the profile that a run or a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from rltui import safe_io
from rltui.events.episode_reward import EpisodeReward
from rltui.events.records import CurriculumPlanned, PhaseChanged, Record, RunStarted, StageChanged, TaskSettings
from rltui.profile.locate import RUN_FILE, STATE_FILE, name_in_text
from rltui.runs.best import Best
from rltui.runs.inventory import CheckpointInfo, file_stamp, read_checkpoint_info, read_inventory
from rltui.runs.journal import LARGEST_PART, read_end
from rltui.runs.journal_reader import JournalEnd, RecentSpeed
from rltui.runs.lock import start_number
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths, absolute, name_problem

GENERIC_NAMES = ("run", "profile")  # names of the files in which runs and saved states store profiles
_FEW = 1 << 14  # bytes of journal, several records


@dataclass(frozen=True)
class CurrentTask:
    """Unknown is None. phase_profile: of a campaign, the profile of the phase it is in."""

    profile: str | None
    phase_profile: str | None
    phase: int | None
    label: str | None


def current_task(records: Sequence[Record], meta: Meta | None, first: RunStarted | None) -> CurrentTask:
    """records: the journal's newest, in which a long run has no header. meta: the newest saved state's.

    first: the header of the run's first start, which says how it began, no more.
    """
    header = next((record for record in reversed(records) if isinstance(record, RunStarted)), None)
    step = _newest_step(records)
    begun = header or first
    phase = step.phase if step else meta.phase if meta else first.phase if first else None
    label = step.label if step else begun.label if begun and begun.phase == phase else None
    return CurrentTask(_profile(records, meta, first), _phase_profile(records, header, meta), phase, label)


def _profile(records: Sequence[Record], meta: Meta | None, first: RunStarted | None) -> str | None:
    """The newest name. Earlier versions wrote down a stored file's: one from before it says more."""
    names = [record.profile for record in reversed(records) if isinstance(record, RunStarted)]
    names += [about.profile for about in (meta, first) if about is not None and about.profile]
    return next((name for name in names if name not in GENERIC_NAMES), names[0] if names else None)


def _newest_step(records: Sequence[Record]) -> RunStarted | TaskSettings | None:
    """A header, or a curriculum's step after it."""
    found = next(
        (record for record in reversed(records) if isinstance(record, RunStarted | PhaseChanged | StageChanged)), None
    )
    return found.task if isinstance(found, PhaseChanged | StageChanged) else found


def _phase_profile(records: Sequence[Record], header: RunStarted | None, meta: Meta | None) -> str | None:
    for record in reversed(records):
        if isinstance(record, PhaseChanged):
            return record.to
        if record is header:
            return _planned(records, header)
    return meta.phase_profile or None if meta else None


def _planned(records: Sequence[Record], header: RunStarted) -> str | None:
    """The profile of the phase in which this start found itself, by the plan in its journal."""
    plan = next((record for record in reversed(records) if isinstance(record, CurriculumPlanned)), None)
    phases = plan.phases if plan else []
    here = (phase for phase in phases if (phase.number, phase.label) == (header.phase, header.label))
    return next((phase.profile for phase in here), None)


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
    start: int = 0  # number of its newest start, see lock.py; 0: unknown
    paused: float | None = None  # Unix seconds since when it has been held by hand; only while it trains
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
    checkpoint: CheckpointInfo | None  # the newest complete one
    checkpoints: int  # complete ones
    milestones: list[CheckpointInfo]  # oldest first
    damaged: list[CheckpointInfo]
    best: list[Best] = []  # by reward, of all that is complete; of the present rewards last
    shape: RunShape | None = None
    speed: RecentSpeed | None = None

    @property
    def recency(self) -> tuple[int, float]:
        """By which the run that was started last is told; of runs older than the numbers of starts, by their records' time."""
        return self.start, self.updated or 0.0

    def document(self) -> dict[str, Any]:
        """As `rltui ls --json` has it."""
        return msgspec.structs.asdict(self) | {
            "checkpoint": self.checkpoint.document() if self.checkpoint else None,
            "milestones": [info.document() for info in self.milestones],
            "damaged": [info.document() for info in self.damaged],
        }


def describe_runs(data: DataDir) -> list[RunSummary]:
    """All runs, the one that was started last first."""
    runs = [describe_run(data.run(name)) for name in data.run_names()]
    return sorted(runs, key=lambda run: run.recency, reverse=True)


def describe_run(paths: RunPaths, brief: bool = False) -> RunSummary:
    """One run; all unknown where there is nothing. brief: its reward may be over fewer episodes than there are."""
    journal = JournalEnd(paths, brief=brief)
    inventory = read_inventory(paths)  # after the journal: a trainer that came or went meanwhile is seen
    trainer, row = inventory.trainer, journal.row
    sound = [info for info in inventory.checkpoints if info.damage is None]
    meta = max(inventory.metas, key=lambda meta: meta.commit, default=None)
    unclean, failure = ("", "") if trainer else (journal.unclean, journal.failure)
    task = current_task(journal.records, meta, journal.first)
    times = [journal.updated, *(meta.time for meta in inventory.metas)]
    return RunSummary(
        name=paths.name,
        state="training" if trainer else _ended_as(bool(unclean), bool(failure), bool(journal.records or meta)),
        note="; ".join(text for text in (unclean, failure, inventory.problem, *_unreadable(paths, journal)) if text),
        pid=trainer.pid if trainer else None,
        host=trainer.host if trainer else None,
        since=trainer.since if trainer else None,
        start=inventory.start,
        paused=inventory.paused,
        profile=task.profile,
        phase_profile=task.phase_profile,
        label=task.label,
        phase=task.phase,
        parent=meta.parent if meta else None,
        started=journal.started,
        updated=max((time for time in times if time is not None), default=None),
        timesteps=row.timesteps if row else meta.timesteps if meta else None,
        iteration=row.iteration if row else None,
        metrics=row.metrics if row else {},
        reward=journal.reward,
        checkpoint=sound[-1] if sound else None,
        checkpoints=len(sound),
        milestones=[info for info in inventory.milestones if info.damage is None],
        damaged=inventory.damaged,
        best=list(inventory.best),
        shape=_shape(journal.header or journal.first),
        speed=journal.speed,
    )


def _shape(header: RunStarted | None) -> RunShape | None:
    if header is None or header.command:
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


def _unreadable(paths: RunPaths, journal: JournalEnd) -> Iterator[str]:
    """Files without which a run looks other than it is."""
    for path in (paths.journal, paths.lock):
        if problem := safe_io.problem(path, LARGEST_PART):
            yield f"{path} cannot be read: {problem}; mend it or move it away"
        elif path == paths.journal and not journal.records and (file_stamp(path) or (0, 0))[1]:
            yield f"{path} holds no record that can be read; mend it or move it away"


def newest_run(data: DataDir) -> str | None:
    """The name of the one that was started last; None where there are no runs."""
    return max(data.run_names(), key=lambda name: _recency(data.run(name)), default=None)


def _recency(paths: RunPaths) -> tuple[int, float]:
    """As RunSummary.recency, from little reading."""
    number = start_number(paths)
    if number:
        return number, 0.0
    records = read_end(paths.journal, _FEW)
    return 0, records[-1].time if records else describe_run(paths).updated or 0.0


def profile_name(profile: str | Path) -> str:
    """Of a profile's name or path: the file's name without .toml; of one stored with a run or state, its own name.

    Its first line has it; of files older than that, the run's journal or the state's meta.json.
    """
    path = absolute(profile)
    stored = {RUN_FILE: _of_run, STATE_FILE: _of_state}.get(path.name)
    if stored is not None and (found := _written(path) or stored(path.parent)):
        return found
    return path.name.removesuffix(".toml")


def _written(path: Path) -> str | None:
    try:
        return name_in_text(safe_io.read_text(path))
    except (OSError, ValueError):
        return None


def _of_run(folder: Path) -> str | None:
    data = DataDir(folder.parent.parent)
    if folder.parent != data.runs or name_problem(folder.name) is not None:
        return None
    return describe_run(data.run(folder.name), brief=True).profile


def _of_state(folder: Path) -> str | None:
    """Of a campaign it is the phase's."""
    about = read_checkpoint_info(folder).meta
    return about.phase_profile or about.profile if about is not None else None
