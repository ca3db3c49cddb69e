"""A run in which every update is dropped has learned nothing, however short it is, and does not end as if it had."""

from __future__ import annotations

from pathlib import Path

from rltui.events.records import RunFinished, UpdateDropped
from rltui.runs.summary import describe_run
from tests.fakes.training import TINY, Training

NAN = """\
import numpy as np
from rltui.rewards.base import Reward


class Nan(Reward):
    category, sign = "events", 0

    def value(self, state):
        return np.full((state.arenas, state.cars), np.nan, np.float32)
"""


def test_a_run_whose_every_update_was_dropped_fails(training: Training, tmp_path: Path) -> None:
    module = tmp_path / "nan.py"
    module.write_text(NAN)
    training.profile = TINY.replace("[policy]", f'"{module}:Nan" = 1.0\n\n[policy]')
    training.start("--steps", "600", "--force")  # two iterations: fewer than the drops that stop a run
    assert training.wait_end() == 1, training.output
    dropped = [record for record in training.poll() if isinstance(record, UpdateDropped)]
    assert len(dropped) == 2
    end = training.wait_records(RunFinished)[-1]
    assert end.exit_code == 1
    assert end.reason.startswith("failed: every update was dropped; the newest: ")
    assert describe_run(training.paths).state == "failed"
