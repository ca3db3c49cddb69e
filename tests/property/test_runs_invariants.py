from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.errors import RltuiError
from rltui.events.records import IterationFinished, Record, RunResumed
from rltui.runs import checkpoint
from rltui.runs.checkpoint import read_checkpoint
from rltui.runs.journal import JournalTail, JournalWriter, encode_line, read_end, read_journal
from rltui.runs.journal_reader import current_records
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.meta import milestone_label
from rltui.runs.paths import DataDir, default_run_name, name_problem
from rltui.runs.saver import MilestoneClock
from rltui.runs.summary import describe_runs
from tests.fakes.saved_runs import SIGNATURE, make_run, place, resumed, row

FEW = settings(max_examples=40, deadline=None)


@FEW
@given(
    st.lists(
        st.one_of(
            st.integers(1, 9).map(lambda n: ("write", n)), st.sampled_from([("poll", 0), ("reopen", 0), ("tear", 0)])
        ),
        max_size=30,
    ),
    st.integers(50, 1500),
)
def test_readers_see_every_record_once_and_in_order(actions: list[tuple[str, int]], part_bytes: int) -> None:
    """Writes, polls, restarts and torn last lines in any order, parts of any size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        writer, tail = JournalWriter(path, part_bytes), JournalTail(path)
        written, seen = 0, []
        for action, count in actions:
            if action == "write":
                for _ in range(count):
                    assert writer.write(row(written))
                    written += 1
            elif action == "poll":
                seen += tail.poll()
            else:
                writer.close()
                if action == "tear":
                    with path.open("ab") as file:
                        file.write(encode_line(row(10**6))[:-20])
                writer = JournalWriter(path, part_bytes)
        writer.close()
        while records := tail.poll():
            seen += records
        assert [record.timesteps for record in seen] == list(range(written))
        assert list(read_journal(path)) == seen
        assert read_end(path, 10**7) == seen


@FEW
@given(st.lists(st.binary(max_size=200), max_size=20), st.lists(st.integers(0, 60), max_size=20), st.integers(20, 400))
def test_polling_bytes_that_arrive_anyhow_equals_reading_them_at_once(
    garbage: list[bytes], cuts: list[int], limit: int
) -> None:
    content = b"".join(line + b"\n" + encode_line(row(number)) for number, line in enumerate(garbage))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        tail, seen, position = JournalTail(path), [], 0
        with path.open("ab", buffering=0) as file:
            for length in [*cuts, len(content)]:
                file.write(content[position : position + length])
                position += length
                while records := tail.poll(limit):
                    seen += records
        longest = max((len(line) + 1 for line in content.split(b"\n")), default=0)
        if longest <= limit:
            assert seen == list(read_journal(path))
        assert len(list(read_journal(path))) >= len(garbage)


rows_and_resumes = st.lists(st.one_of(st.integers(0, 30).map(row), st.integers(0, 30).map(resumed)), max_size=40)


@settings(max_examples=100, deadline=None)
@given(rows_and_resumes)
def test_the_current_line_against_its_definition(records: list[Record]) -> None:
    """A row counts if no later resume lies below it."""
    expected = [
        record
        for index, record in enumerate(records)
        if not isinstance(record, IterationFinished)
        or all(record.timesteps <= later.timesteps for later in records[index:] if isinstance(later, RunResumed))
    ]
    assert current_records(records) == expected


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 500), st.integers(0, 5000), st.lists(st.integers(0, 900), max_size=30))
def test_the_milestone_clock_against_counting(interval: int, start: int, steps: list[int]) -> None:
    clock, now = MilestoneClock(interval, start), start
    for step in steps:
        passed = [boundary for boundary in range(now + 1, now + step + 1) if boundary % interval == 0]
        now += step
        assert clock.crossed(now) == (milestone_label(passed[-1]) if passed else None)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**12))
def test_a_label_is_exact_and_sorts_as_a_number(timesteps: int) -> None:
    label = milestone_label(timesteps)
    assert label.endswith("M") and len(label.split(".")[0].rstrip("M")) >= 3
    whole, _, decimals = label[:-1].partition(".")
    assert int(whole) * 10**6 + int(decimals.ljust(6, "0")) == timesteps


@FEW
@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
        st.binary(max_size=300),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
def test_any_change_to_any_byte_is_found(files: dict[str, bytes], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = place(Path(parent) / "1", files)
        assert read_checkpoint(folder) == files
        path = folder / data.draw(st.sampled_from([*sorted(files), checkpoint.MANIFEST]))
        content = path.read_bytes()
        changed = data.draw(st.binary(max_size=300).filter(lambda other: other != content))
        path.write_bytes(changed)
        with pytest.raises(RltuiError):
            read_checkpoint(folder)


@FEW
@given(
    st.dictionaries(
        st.sampled_from(["journal.jsonl", "journal.3.jsonl", "milestones.json", "lock.json", "run.toml"]),
        st.binary(max_size=300),
    ),
    st.dictionaries(st.sampled_from(["meta.json", "manifest.sha256", "policy.npz"]), st.binary(max_size=300)),
)
def test_no_garbage_makes_listing_fail(run_files: dict[str, bytes], checkpoint_files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = DataDir(Path(folder))
        paths = make_run(data, commits=2)
        for name, content in run_files.items():
            (paths.folder / name).write_bytes(content)
        for name, content in checkpoint_files.items():
            (paths.checkpoint(2000) / name).write_bytes(content)
        (run,) = describe_runs(data)
        assert len(run.damaged) == bool(checkpoint_files)
        expected = paths.checkpoint(1000) if checkpoint_files else paths.checkpoint(2000)
        assert plan_launch(StartRequest(data, SIGNATURE, "quick")).checkpoint == expected


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=150))
def test_every_default_run_name_is_a_good_one(profile: str) -> None:
    assert name_problem(default_run_name(DataDir(Path("nowhere")), profile)) is None
