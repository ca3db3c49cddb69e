"""FAULTS F16 and F39 at the trainer: a memory that is full once costs no iteration, a GPU that fails ends the run with its state."""

from __future__ import annotations

from rltui.events.records import LogLine, RunFinished
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints
from rltui.runs.lock import lock_holder
from tests.fakes.training import Training, wait_for


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
