"""FAULTS F5 and F35 at the trainer: a disk that is full for one save, and a profile that is changed while it runs."""

from __future__ import annotations

from rltui.events.records import CheckpointFailed, CheckpointSaved, IterationFinished, RunFinished
from rltui.profile.load import load
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints
from tests.fakes.training import Training


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
