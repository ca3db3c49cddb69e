"""A run's newest records, read from the end of its journal: rewinds, speed, reward, pauses, limits."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import msgspec

from rltui.events.episode_reward import EpisodeReward, RewardWindow, newest_window
from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import (
    IterationFinished,
    LogLine,
    PhaseChanged,
    Record,
    RunFinished,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
    StateChanged,
    UpdateDropped,
)
from rltui.formatting import utc
from rltui.runs.journal import JournalWriter, decode_line, lines_back, read_back, read_end, read_journal, read_start
from rltui.runs.lock import Holder
from rltui.runs.paths import RunPaths

SPEED_ITERATIONS = 20  # at most, over which a speed is told
END_BYTES = 1 << 16  # a paused trainer writes little: a note of each command
_FAR = 1 << 30  # bytes of journal looked through for the header of a start that was long ago: weeks of training
_HEADER_TAG = f'"{RunStarted.__struct_config__.tag}"'.encode()  # is somewhere in each header's line
_OfTraining = IterationFinished | UpdateDropped | PhaseChanged | StageChanged | SettingChanged


def current_records(records: Iterable[Record]) -> list[Record]:
    """The records without those of training that a later `run_resumed` took back: earlier ones above its timesteps."""
    current: list[Record] = []
    for record in records:
        if isinstance(record, RunResumed):
            current = [earlier for earlier in current if not is_beyond(earlier, record.timesteps)]
        current.append(record)
    return current


def is_beyond(record: Record, timesteps: int) -> bool:
    """Whether training that goes on from so many timesteps takes it back."""
    return isinstance(record, _OfTraining) and record.timesteps > timesteps


def copy_history(parent: RunPaths, branch: JournalWriter, timesteps: int) -> int:
    """Give a branch its parent's iterations up to where it leaves; returns how many.

    A line of now comes first: the branch's own header is behind them all, too far for who asks when it began.
    """
    branch.write(
        LogLine(time=time.time(), level="debug", source="runs", message=f"the iterations of {parent.name} follow")
    )
    copied = 0
    for record in current_iterations(parent.journal):
        if record.timesteps <= timesteps:
            branch.write(record)
            copied += 1
    return copied


def current_iterations(journal: Path) -> Iterator[IterationFinished]:
    """Those of `current_records`. Read twice, so that the history of weeks is never in memory as a whole."""
    resumes, limits = 0, _limits(journal)
    for record in read_journal(journal):
        if isinstance(record, RunResumed):
            resumes += 1
        if resumes == len(limits):
            return  # it was resumed meanwhile: what follows is no part of this history
        if isinstance(record, IterationFinished) and record.timesteps <= limits[resumes]:
            yield record


def _limits(journal: Path) -> list[float]:
    """For what lies before the first resume, between it and the next, …: the timesteps from which on resumes took it back."""
    resumed = [record.timesteps for record in read_journal(journal) if isinstance(record, RunResumed)]
    limits = accumulate(reversed(resumed), min, initial=math.inf)
    return list(limits)[::-1]


def unclean_end(paths: RunPaths) -> str | None:
    """How the last session ended if it did not end cleanly, in words; None where it did or there was none.

    Asked by the holder of the run's lock before it writes its own header: a session that still runs looks the same.
    """
    return describe_unclean(read_end(paths.journal))


def describe_unclean(newest: list[Record]) -> str | None:
    """As `unclean_end`, of the records at the journal's end."""
    session = newest
    for index, record in enumerate(newest):
        if isinstance(record, RunStarted):
            session = newest[index:]
    if not session or any(isinstance(record, RunFinished) for record in session):
        return None
    header = session[0]
    who = f" (pid {header.pid} on {header.host}, started {utc(header.time)})" if isinstance(header, RunStarted) else ""
    return f"the last session{who} did not end cleanly: its last record is of {utc(session[-1].time)}"


class RecentSpeed(msgspec.Struct, frozen=True):
    """steps_per_second: of whole iterations, pauses left out. iterations: over so many."""

    steps_per_second: float
    iterations: int


def recent_speed(records: Sequence[Record]) -> RecentSpeed | None:
    """Of the newest session; of one that has ended without an iteration, the one before. None where none is known."""
    speeds: list[float | None] = []
    ended = False
    for record in reversed(records):
        ended = ended or isinstance(record, RunFinished)
        if len(speeds) == SPEED_ITERATIONS or (isinstance(record, RunStarted) and (speeds or not ended)):
            break
        if isinstance(record, IterationFinished):
            speeds.append(record.metrics.get(OVERALL_SPEED))
    return mean_speed(speeds)


def mean_speed(speeds: Iterable[float | None]) -> RecentSpeed | None:
    """Of iterations of one size: steps by time, the harmonic mean. None where none is known."""
    known = [speed for speed in speeds if speed is not None and math.isfinite(speed) and speed > 0]
    return RecentSpeed(len(known) / math.fsum(1 / speed for speed in known), len(known)) if known else None


class JournalEnd:
    """records: oldest first, without what was taken back. row: the newest iteration.

    header: of the newest start; first: of the run's first one; started: Unix seconds, of that. None: not known.
    """

    def __init__(self, paths: RunPaths, *, brief: bool = False) -> None:
        """brief: its reward may be over fewer episodes than there are."""
        self.records = current_records(read_end(paths.journal)) if brief else _reaching_back(paths)
        self.row = next((record for record in reversed(self.records) if isinstance(record, IterationFinished)), None)
        self.header = next((record for record in reversed(self.records) if isinstance(record, RunStarted)), None)
        beginning = read_start(paths.journal)
        first = next((record for record in beginning if isinstance(record, RunStarted)), None)
        self.first = first or self.header
        opening = beginning[0] if beginning and not isinstance(beginning[0], IterationFinished) else self.first
        self.started = opening.time if opening else None

    @property
    def updated(self) -> float | None:
        """Unix seconds of the newest record; None where there is none."""
        return self.records[-1].time if self.records else None

    @property
    def unclean(self) -> str:
        """How the last session ended if it did not end cleanly, were no trainer there; empty where it did."""
        return describe_unclean(self.records) or ""

    @property
    def failure(self) -> str:
        """Why the last session ended with an error; empty where it did not."""
        ends = (record for record in reversed(self.records) if isinstance(record, RunFinished | RunStarted))
        end = next(ends, None)
        return end.reason if isinstance(end, RunFinished) and end.exit_code else ""

    @property
    def reward(self) -> EpisodeReward:
        """Over the newest episodes."""
        return newest_window(self.records).value

    @property
    def speed(self) -> RecentSpeed | None:
        return recent_speed(self.records)


def script_header(paths: RunPaths) -> RunStarted | None:
    """The newest header of a run that a script of others has; None of a trainer's own, and where there is none."""
    end = JournalEnd(paths, brief=True)
    header = end.header or end.first
    return header if header is not None and header.command else None


def reward_so_far(paths: RunPaths, timesteps: int) -> RewardWindow:
    """Of the newest episodes at this step count, from which training goes on."""
    return RewardWindow(record for record in _reaching_back(paths) if not is_beyond(record, timesteps))


def elapsed_so_far(paths: RunPaths) -> float:
    """Seconds that the run has taken until its newest record that tells; 0 where none does."""
    found = (getattr(record, "elapsed", None) for block in read_back(paths.journal) for record in reversed(block))
    return next((elapsed for elapsed in found if elapsed is not None), 0.0)


def _reaching_back(paths: RunPaths) -> list[Record]:
    """As far back as it takes to hold the episodes of the run's reward."""
    read: list[Record] = []
    counting: list[Record] = []
    for block in read_back(paths.journal):
        read = block + read
        counting = current_records(read)
        if newest_window(counting).full:
            break
    return counting


def step_limit(paths: RunPaths) -> int | None:
    """The total; None without one, or where no header is found."""
    for block in lines_back(paths.journal, most=_FAR):
        if (header := _newest_header(block)) is not None:
            return header.step_limit
    return None


def _newest_header(lines: bytes) -> RunStarted | None:
    """Of whole lines; only those that may be a header are read."""
    end = len(lines)
    while (at := lines.rfind(_HEADER_TAG, 0, end)) >= 0:
        start = lines.rfind(b"\n", 0, at) + 1
        record = decode_line(lines[start:].partition(b"\n")[0])
        if isinstance(record, RunStarted):
            return record
        end = start
    return None


def paused_since(trainer: Holder | None, records: Sequence[Record]) -> float | None:
    """Unix seconds; None where no trainer is there, or it is not paused. A save meanwhile lets it stay so."""
    if trainer is None:
        return None
    since = None
    for record in reversed(records):
        if isinstance(record, RunFinished):
            return None
        if isinstance(record, RunStarted):  # a pause from before this trainer came is not its own
            return since if trainer.pid in (None, record.pid) else None
        if isinstance(record, StateChanged):
            if record.state not in ("paused", "saving"):
                break
            since = record.time if record.state == "paused" else since
    return since


def read_paused_since(paths: RunPaths, trainer: Holder | None) -> float | None:
    """The same, read from the run's journal. Never raises for what is there."""
    return paused_since(trainer, read_end(paths.journal, END_BYTES)) if trainer is not None else None
