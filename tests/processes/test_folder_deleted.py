"""A run's folder deleted while it trains: said where it can still be read, seen by who is attached; training goes on."""

from __future__ import annotations

import shutil

from rltui.events.commands import Stop
from rltui.events.records import IterationFinished
from rltui.run_state.condition import condition
from rltui.run_state.reader import RunFiles, RunReader
from rltui.run_state.snapshot import RunSnapshot
from rltui.supervise.control_client import ControlClient, connected
from tests.fakes.training import Training, wait_for


def test_a_deleted_run_folder_is_said_and_training_goes_on(training: Training) -> None:
    training.start().wait_records(IterationFinished)
    seen: list[RunSnapshot] = []
    reader = RunReader(RunFiles(training.paths, lambda: connected(training.paths, 1.0, readonly=True)), seen.append)
    reader.start()
    with ControlClient("ada") as client:
        client.connect(training.paths)
        wait_for(lambda: seen and seen[-1].link.connected, "the viewer to be attached")
        shutil.rmtree(training.paths.folder)
        wait_for(lambda: "the run's folder is gone" in training.output, "the trainer to say it")
        wait_for(lambda: seen[-1].gone, "the viewer to see it")
        now = seen[-1].live_time
        assert now is not None and condition(seen[-1], now).word == "FOLDER GONE"
        before = training.output.count(" entropy ")
        wait_for(lambda: training.output.count(" entropy ") >= before + 3, "three more iterations")
        reader.stop()
        reader.join(10)
        client.send(Stop())
        assert training.wait_end() == 0, training.output
    assert training.output.count("the run's folder is gone") == 1
