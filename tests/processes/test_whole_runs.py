"""Whole runs of the real trainer, one for each thing that shows only there: `--debug`, practice arenas, updates that are all
dropped, a memory that is full once and a GPU that fails, a disk that is full for one save and a profile that
is changed while it runs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rltui.events.records import (
    CheckpointFailed,
    CheckpointSaved,
    IterationFinished,
    LogLine,
    RunFinished,
    UpdateDropped,
)
from rltui.profile.load import load
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints
from rltui.runs.lock import lock_holder
from rltui.runs.summary import describe_run
from tests.fakes.training import TINY, Training, wait_for

ANNOUNCED = r".*\[debug_turtled_start\] (?:iteration 2|over):.*\n"


def test_with_debug_all_is_spelled_out_and_the_second_iteration_begins_on_the_roof_and_the_third_does_not(
    training: Training,
) -> None:
    training.start("--debug", "--steps", "1500")
    assert training.wait_end() == 0, training.output
    said = training.output
    first, second, third = re.split(ANNOUNCED, said)
    for part, turtled in ((first, False), (second, True), (third, False)):
        states = re.findall(r"\[global_debug_mode\] worker 0:   car \d: .*turtled (True|False)", part)
        assert states[:8] == [str(turtled)] * 8, "four arenas, 1v1, all begun anew"
        assert set(states) == {str(turtled)}
        probes = re.findall(r"turtle probe, arena \d car \d: (a|no) turtle", part)
        assert len(probes) >= 8
        assert probes[:8].count("a") > 4 if turtled else probes.count("a") == 0  # a jump press may have lifted one
        for flag in ("debug_actions", "debug_learning", "debug_checkpoints"):
            assert f"[{flag}]" in part
        assert re.search(r"\[debug_actions\] worker 0: [\d,]+ of 504 chosen actions turn", part)
    assert len(re.findall(r"controls are throttle, steer, pitch", said)) == 1
    assert "new episodes that begin on the roof: 4, in arena 0, 1, 2, 3" in second
    assert "IMPOSSIBLE" not in said
    assert "left out" not in said, "nothing is dropped in a run that is there to be read"
    assert len(training.iterations()) == 3
    spoken = [record for record in training.records if isinstance(record, LogLine) and record.flag == "debug_actions"]
    assert {(record.source, record.worker) for record in spoken} == {("worker", 0)}


LANE = """
[mechanics]
weight = 0.25
resets = [{kind = "random"}]
terminals = [{kind = "timeout", seconds = 2}]
[mechanics.rewards]
touch = 3.0
face_ball = 0.5
"""


def test_metrics_by_arena_group(training: Training) -> None:
    training.profile = TINY + LANE
    training.start("--steps", "3000")
    assert training.wait_end() == 0, training.output
    rows = [row.metrics for row in training.wait_records(IterationFinished)]
    row = next(row for row in rows if row["rollout/episodes"] and row["mechanics/rollout/episodes"])
    assert row["mechanics/rollout/episode_seconds"] == pytest.approx(2.0, abs=0.1)
    for prefix, names in (("", {"touch", "speed_toward_ball"}), ("mechanics/", {"touch", "face_ball"})):
        parts = {key.removeprefix(f"{prefix}reward/"): row[key] for key in row if key.startswith(f"{prefix}reward/")}
        assert set(parts) == names
        assert sum(value or 0.0 for value in parts.values()) == pytest.approx(
            row[f"{prefix}rollout/policy_reward"], abs=1e-5
        )


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


def test_a_full_memory_halves_the_minibatch_and_a_lost_gpu_ends_with_the_last_good_state(training: Training) -> None:
    """Four passes an update; of the second update's, one finds the memory full: then eight. The third's fail. What is left of
    the GPU then would abort the process at its end.
    """
    training.module = "tests.fakes.dying_device"
    training.start(env={"RLTUI_FAULT": "learn.pass:oom:6,learn.pass:gpu:17"})
    assert training.wait_end() == 1
    records = training.poll()
    said = [record.message for record in records if isinstance(record, LogLine) and record.source == "learner"]
    assert any("ppo.minibatch = 128" in message for message in said), said
    end = training.wait_records(RunFinished)[-1]
    assert (end.exit_code, end.timesteps) == (1, training.iterations()[-1].timesteps)
    assert "the GPU failed" in end.reason
    assert "nvidia-smi" in training.output
    newest = complete_checkpoints(training.paths)[-1]
    assert newest.timesteps == end.timesteps == 2 * 512
    verify(newest.path)
    assert "Fatal" not in training.output and "terminate called" not in training.output
    assert lock_holder(training.paths) is None and not training.paths.socket_file.exists()
    wait_for(lambda: not training.left_behind(), "the end of what it has started")


def test_a_full_disk_fails_one_save_and_a_changed_profile_changes_nothing(training: Training) -> None:
    training.start("--steps", "6000", env={"RLTUI_FAULT": "save.create:enospc:12"})
    training.wait_records(IterationFinished)
    (training.folder / "tiny.toml").write_text("schema = 1\nnonsense = true\n")
    failed = training.wait_records(CheckpointFailed)[0]
    assert "disk is full" in failed.reason
    before = [record for record in training.poll() if isinstance(record, CheckpointSaved)]
    for record in before:
        verify(training.paths.checkpoint(record.timesteps))
    assert training.wait_end() == 0
    after = [record for record in training.poll() if isinstance(record, CheckpointSaved) and record.time > failed.time]
    assert after, "the next save succeeds"
    assert training.wait_records(RunFinished)[-1].exit_code == 0
    assert complete_checkpoints(training.paths)[-1].timesteps == training.iterations()[-1].timesteps
    assert "training goes on, earlier ones are intact" in training.output
    newest = complete_checkpoints(training.paths)[-1].path
    assert load(newest / "profile.toml").ppo.batch == load(training.paths.profile).ppo.batch == 512
