"""Real runs that log beside training: no format that fails or hangs is felt, and no process outlives its trainer."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from rltui.__main__ import main
from rltui.events.records import LogLine, RunFinished
from rltui.runs.journal_reader import current_iterations
from rltui.train.metric_loggers import PATIENCE
from tests.fakes import wandb_server
from tests.fakes.patience import patience
from tests.fakes.training import Training, runs, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="priorities and signals of POSIX")
ALL = ("--set", "log.csv=true", "--set", "log.wandb=true")


def start(training: Training, fault: str = "", *options: str) -> Training:
    """With W&B's fake in the place of the package."""
    package = training.folder / "packages"
    package.mkdir(exist_ok=True)
    shutil.copy(wandb_server.__file__, package / "wandb.py")
    path = f"{package}:{Path(__file__).parents[2]}"
    env = {"PYTHONPATH": path, "FAKE_WANDB": str(training.folder / "asked.jsonl"), "FAKE_WANDB_FAULT": fault}
    return training.start(*ALL, *options, env=env)


def loggers(training: Training) -> list[psutil.Process]:
    return [child for child in training.children() if runs(child) and child.nice() == 19]


def said(training: Training, source: str = "wandb") -> list[str]:
    return [each.message for each in training.poll() if isinstance(each, LogLine) and each.source == source]


def asked(training: Training) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (training.folder / "asked.jsonl").read_text().splitlines()]


def steps_of(training: Training) -> list[int]:
    return [row.timesteps for row in current_iterations(training.paths.journal)]


def test_all_formats_have_what_the_journal_has_over_a_killed_trainer_and_a_resume(training: Training) -> None:
    start(training)
    wait_for(lambda: said(training) and said(training, "csv"), "the loggers")
    processes = loggers(training)
    assert len(processes) == 2
    assert training.process is not None
    training.process.kill()
    training.process.wait()
    wait_for(lambda: not any(map(runs, processes)), "the loggers' end")
    assert asked(training)[-1] == {"finished": True}, "in good order"
    start(training)
    wait_for(lambda: len(said(training)) == 2, "W&B again")
    training.process.send_signal(signal.SIGTERM)
    assert training.wait_end() == 0
    steps = steps_of(training)
    with training.paths.csv.open(newline="") as file:
        assert [int(line["Cumulative Timesteps"]) for line in csv.DictReader(file)] == steps
    logged = [each["step"] for each in asked(training) if "step" in each]
    assert len(set(logged)) == len(logged)
    assert set(steps) <= set(logged)
    assert len({each["id"] for each in asked(training) if "mode" in each}) == 1


def test_a_format_that_fails_is_a_sentence(training: Training) -> None:
    start(training, "import fails")
    (sentence,) = wait_for(lambda: said(training), "the sentence")
    assert sentence == "RuntimeError: import fails; training goes on without it"
    training.check_continues()
    wait_for(lambda: len(loggers(training)) == 1, "the end of one")
    (table,) = loggers(training)
    table.kill()
    wait_for(lambda: "the logger ended: SIGKILL; training goes on without it" in said(training, "csv"), "its sentence")
    training.check_continues()


def test_one_that_hangs_ends_with_the_run(training: Training) -> None:
    start(training, "finish hangs", "--steps", "4096")
    ended = training.wait_records(RunFinished)[0]
    assert training.wait_end() == 0
    assert time.time() - ended.time < patience(PATIENCE + 1)
    assert "no end within 8 s" in said(training)[-1]
    assert [each["step"] for each in asked(training) if "step" in each] == steps_of(training)
    wait_for(lambda: not training.left_behind(), "the end of all that it has started")


def test_an_abandoned_run_waits_for_none(training: Training) -> None:
    start(training, "finish hangs")
    wait_for(lambda: said(training), "W&B")
    assert training.process is not None
    begun = time.monotonic()
    assert main(["stop", training.run, "--abandon", "--data-dir", str(training.paths.data.root)]) == 0
    assert training.wait_end() == 1
    assert time.monotonic() - begun < patience(PATIENCE / 2)
    wait_for(lambda: not training.left_behind(), "the end of all that it has started")
