"""Folding a journal in any pieces, from any snapshot on the way, gives what folding it in one go gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events.records import IterationFinished, LogLine, Record, RunResumed, SettingChanged, StateChanged
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot

values = st.none() | st.floats(-1e6, 1e6, allow_nan=False)
rows = st.builds(
    IterationFinished,
    time=st.floats(0, 1e6),
    iteration=st.integers(1, 50),
    timesteps=st.integers(0, 50),
    metrics=st.dictionaries(st.sampled_from(["a", "b", "reward/touch"]), values),
)
resumes = st.builds(
    RunResumed, time=st.floats(0, 1e6), timesteps=st.integers(0, 50), checkpoint=st.just("x"), reason=st.just("y")
)
others = st.builds(
    LogLine, time=st.floats(0, 1e6), level=st.just("info"), source=st.just("s"), message=st.text(max_size=5)
) | st.builds(StateChanged, time=st.floats(0, 1e6), state=st.sampled_from(["collecting", "paused"]), reason=st.just(""))
changes = st.builds(
    SettingChanged,
    time=st.floats(0, 1e6),
    timesteps=st.integers(0, 50),
    setting=st.sampled_from(["learning rate", "entropy", "reward touch"]),
    value=st.none() | st.floats(0, 1),
    by=st.just("ada"),
)


def ascending(records: list[Record]) -> list[Record]:
    """As a trainer writes them: the rows' timesteps grow, also from where a resume has set them back."""
    steps, out = 0, []
    for record in records:
        if isinstance(record, IterationFinished):
            steps += record.timesteps + 1
            record = IterationFinished(
                time=record.time, iteration=record.iteration, timesteps=steps, metrics=record.metrics
            )
        elif isinstance(record, RunResumed):
            steps = min(steps, record.timesteps)
            record = RunResumed(time=record.time, timesteps=steps, checkpoint="x", reason="y")
        out.append(record)
    return out


@settings(max_examples=60, deadline=None)
@given(
    st.lists(rows | resumes | others | changes, max_size=30).map(ascending), st.lists(st.integers(0, 30), max_size=6)
)
def test_any_pieces_give_the_same(records: list[Record], cuts: list[int]) -> None:
    whole = fold(RunSnapshot(), records)
    snapshot, start = RunSnapshot(), 0
    seen: list[tuple[RunSnapshot, int]] = [(snapshot, 0)]
    for cut in sorted({min(cut, len(records)) for cut in cuts} | {len(records)}):
        snapshot, start = fold(snapshot, records[start:cut]), cut
        seen.append((snapshot, cut))
    assert snapshot == whole
    for earlier, taken in seen:  # a snapshot is a value: what was folded onto it later has not changed it
        assert earlier == fold(RunSnapshot(), records[:taken])
        assert fold(earlier, records[taken:]) == whole
