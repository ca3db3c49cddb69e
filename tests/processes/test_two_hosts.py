"""Two hosts that share a data folder without working locks never write one run at the same time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from rltui.events.records import IterationFinished, LogLine, RunFinished, RunStarted
from rltui.runs.inventory import complete_checkpoints
from tests.fakes import other_host
from tests.fakes.training import Training


def on_host(name: str, training: Training, *options: str) -> Training:
    return training.start(*options, env={other_host.HOST: name})


def test_the_second_is_refused_or_takes_over_and_the_first_ends(training: Training, tmp_path: Path) -> None:
    training.module = other_host.__name__
    on_host("tower", training)
    training.wait_records(IterationFinished)
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "data").symlink_to(training.folder / "data")
    other = Training(folder, module=other_host.__name__)
    try:
        assert on_host("lamp", other).wait_end() == 1
        assert all(word in other.output for word in ("on tower", "journal written", "--take-over")), other.output
        training.wait_more_iterations()
        on_host("lamp", other, "--take-over").wait_records(RunStarted, 2)
        assert training.wait_end() == 1 and "was taken over by pid" in training.output
        assert training.output.splitlines()[-1] == "  it goes on there; nothing is saved here", (
            "nor that its workers died"
        )
        other.wait_more_iterations()
        assert other.process is not None
        other.process.terminate()
        assert other.wait_end() == 0, other.output
    finally:
        other.kill_all()
    records = training.poll()
    [_, start] = [place for place, record in enumerate(records) if isinstance(record, RunStarted)]
    assert any(
        isinstance(record, LogLine) and "taken over from pid" in record.message for record in records[start - 3 :]
    )
    rows = [record.timesteps for record in records[start:] if isinstance(record, IterationFinished)]
    assert all(after - before == 512 for before, after in pairwise(rows)), "none is of the first"
    assert [record.exit_code for record in records if isinstance(record, RunFinished)] == [0]
    assert complete_checkpoints(training.paths)[-1].timesteps == rows[-1]
    assert not training.paths.lock_json.exists()
