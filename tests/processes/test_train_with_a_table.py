"""A real run with a table of one's own: refused where it fails; forced, it trains, its use is in the journal, and a table that
changes meanwhile is not played on.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rltui.events.records import IterationFinished, LogLine, TableUsed, WorkerFailed
from tests.fakes.tables import RLGYM, column, without
from tests.fakes.training import TINY, Training

TABLE = '\n[actions]\ntable = "rows.csv"\nlegality = "mask"\n'


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Training]:
    run = Training(tmp_path, profile=TINY + TABLE)
    np.savetxt(tmp_path / "rows.csv", without(RLGYM, column(RLGYM, "steer") < 0), delimiter=",", fmt="%g")
    yield run
    run.kill_all()


def test_refused_then_forced_then_changed(training: Training) -> None:
    assert training.start().wait_end() == 1
    assert "no row turns left while driving: the bot could only turn right" in training.output
    assert not training.paths.journal.exists()
    training.start("--force").wait_records(TableUsed)
    told = [record.message for record in training.poll() if isinstance(record, LogLine) and record.source == "checks"]
    assert "action table: no row turns left while driving: the bot could only turn right" in told
    iteration = training.wait_records(IterationFinished)[0]
    figures = iteration.metrics
    assert figures["lut/left"] == 0
    assert 20 < (figures["lut/right"] or 0) < 60
    assert 0 <= (figures["lut/masked"] or -1) < 70
    assert figures["lut/fallback"] is None
    used = next(record for record in training.records if isinstance(record, TableUsed))
    assert len(used.counts) == 66
    assert sum(used.counts) == iteration.timesteps
    assert sum(count == 0 for count in used.counts) == figures["lut/never_chosen"]
    rows = np.loadtxt(training.folder / "rows.csv", delimiter=",")
    np.savetxt(training.folder / "rows.csv", rows[::-1], delimiter=",", fmt="%g")
    os.kill(training.worker_pid(0), signal.SIGKILL)
    failures = training.wait_records(
        WorkerFailed, 2
    )  # one that starts anew reads the file again: it would be another game
    assert "has changed since the run began" in failures[-1].reason
