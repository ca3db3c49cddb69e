"""Folding a journal through its cache gives what folding every record gives, whenever it was cached, rotated or resumed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events.commands import CommandAccepted
from rltui.events.records import (
    CommandLogged,
    IterationFinished,
    LogLine,
    PoolReported,
    Record,
    RunFinished,
    RunResumed,
    SettingChanged,
    StateChanged,
    TableUsed,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
)
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.runs import journal_cache
from rltui.runs.journal import JournalWriter
from rltui.runs.journal_cache import CachedJournal
from tests.fakes import run_story

times = st.floats(0, 1e6)
steps = st.integers(0, 400)
values = st.none() | st.floats(-1e6, 1e6, allow_nan=False)
METRICS = ["timesteps", "reward/touch", "train/entropy", "worker/1/seconds"]
records = st.one_of(
    st.builds(
        IterationFinished,
        time=times,
        iteration=st.integers(1, 50),
        timesteps=steps,
        metrics=st.dictionaries(st.sampled_from(METRICS), values),
    ),
    st.builds(RunResumed, time=times, timesteps=steps, checkpoint=st.just("x"), reason=st.just("y")),
    st.builds(lambda time, at: run_story.header(time=time, timesteps=at), times, steps),
    st.builds(RunFinished, time=times, timesteps=steps, exit_code=st.integers(0, 1), reason=st.just("end")),
    st.builds(LogLine, time=times, level=st.just("info"), source=st.just("s"), message=st.text(max_size=5)),
    st.builds(StateChanged, time=times, state=st.sampled_from(["collecting", "paused"]), reason=st.just("")),
    st.builds(run_story.saved, steps, times, st.booleans()),
    st.builds(TableUsed, time=times, timesteps=steps, table_hash=st.just("h"), counts=st.lists(st.integers(0, 9))),
    st.builds(PoolReported, time=times, timesteps=steps, opponents=st.just([])),
    st.builds(UpdateDropped, time=times, iteration=steps, timesteps=steps, source=st.just("nan"), in_a_row=st.just(1)),
    st.builds(WorkerStarted, time=times, worker=st.integers(0, 2), pid=steps, restarts=steps, seconds=times),
    st.builds(
        WorkerFailed,
        time=times,
        worker=st.integers(0, 2),
        kind=st.just("died"),
        reason=st.just("r"),
        trace=st.just("t"),
    ),
    st.builds(
        SettingChanged, time=times, timesteps=steps, setting=st.just("learning rate"), value=values, by=st.just("ada")
    ),
    st.builds(
        CommandLogged,
        time=times,
        command=st.just("pause"),
        by=st.just("ada"),
        outcome=st.builds(CommandAccepted, id=steps),
    ),
    st.builds(run_story.phase_changed, times, steps),
)


def ascending(told: list[Record]) -> list[Record]:
    """As a trainer writes them: the rows' timesteps grow, also from where a resume has set them back."""
    at, out = 0, []
    for record in told:
        if isinstance(record, IterationFinished):
            at += 1 + record.timesteps % 7
            record = replace_steps(record, at)
        elif isinstance(record, RunResumed):
            at = min(at, record.timesteps)
            record = replace_steps(record, at)
        out.append(record)
    return out


def replace_steps(record: Record, timesteps: int) -> Record:
    return msgspec.structs.replace(record, timesteps=timesteps)


def folded(path: Path) -> tuple[RunSnapshot, CachedJournal]:
    """What a viewer that attaches now sees, and its journal."""
    journal, snapshot = CachedJournal(path), RunSnapshot()
    return followed(journal, snapshot), journal


def followed(journal: CachedJournal, snapshot: RunSnapshot) -> RunSnapshot:
    while records := journal.poll():
        snapshot = fold(snapshot, records)
    return snapshot


@settings(max_examples=150, deadline=None)
@given(
    st.lists(records, max_size=60).map(ascending),
    st.lists(st.integers(0, 60), max_size=4),
    st.sampled_from([500, 2000, 1 << 20]),
    st.booleans(),
)
def test_folding_through_the_cache_is_folding_every_record(
    told: list[Record], looks: list[int], part_bytes: int, torn: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(journal_cache, "WORTH", 1)
        path = Path(folder) / "journal.jsonl"
        writer = JournalWriter(path, part_bytes)
        viewer, start = None, 0
        for look in sorted({min(look, len(told)) for look in looks} | {len(told)}):
            for record in told[start:look]:
                writer.write(record)
            start = look
            if torn:
                with path.open("ab") as file:
                    file.write(b'{"event": "log_line", "ti')
                writer = JournalWriter(path, part_bytes)
            expected = fold(RunSnapshot(), told[:look])
            seen, journal = folded(path)
            assert seen == expected
            if viewer is None:
                viewer, follower = seen, journal
            else:  # one that was there before sees the same
                viewer = followed(follower, viewer)
                assert viewer == expected
        assert folded(path)[0] == fold(RunSnapshot(), told)


@settings(max_examples=60, deadline=None)
@given(st.lists(records, max_size=60).map(ascending), st.integers(1, 5))
def test_what_is_left_out_is_old_and_counted(told: list[Record], newest: int) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(journal_cache, "WORTH", 1)
        patch.setattr(journal_cache, "NEWEST", newest)
        patch.setattr("rltui.run_state.fold.LOG_LINES", newest)
        patch.setattr("rltui.run_state.fold.AUDIT_ENTRIES", newest)
        patch.setattr("rltui.run_state.fold.KEPT", 1)  # far fewer, and two may be of the same timesteps
        path = Path(folder) / "journal.jsonl"
        writer = JournalWriter(path, 3000)
        for record in told:
            writer.write(record)
        expected = fold(RunSnapshot(), told)
        for _ in range(2):
            seen, _ = folded(path)
            assert seen == expected
