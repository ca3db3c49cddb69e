"""The whole program as a new user meets it: launch on a terminal, pause, save, leave, attach elsewhere, die, attach, stop."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil
import pytest

from rltui.events.records import CheckpointSaved, IterationFinished, RunFinished, RunStarted, StateChanged
from rltui.runs.inventory import complete_checkpoints
from rltui.runs.journal import read_journal
from rltui.runs.journal_reader import current_records
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.terminal import Terminal
from tests.fakes.training import TINY, wait_for


@pytest.fixture
def folder(folder: Path) -> Path:
    """With one profile of the user's own."""
    (folder / "profiles").mkdir()
    (folder / "profiles" / "a-tiny.toml").write_text(TINY)
    return folder


def only_run(folder: Path) -> RunPaths:
    data = DataDir(folder / "data")
    name = wait_for(lambda: next(iter(data.run_names()), None), "a run")
    return data.run(name)


def records(run: RunPaths, kind: type) -> list:
    return [record for record in read_journal(run.journal) if isinstance(record, kind)]


def test_launch_pause_save_detach_attach_die_attach_stop(folder: Path, windows: list[Terminal]) -> None:
    first = Terminal(folder)
    windows.append(first)
    first.wait_text("a-tiny")
    first.wait_text("profile valid")
    first.type("\r")
    run = only_run(folder)
    wait_for(lambda: run.journal.exists() and len(records(run, IterationFinished)) >= 2, "two iterations")
    first.wait_text("Metrics")

    first.type("P")
    wait_for(lambda: [r for r in records(run, StateChanged) if r.state == "paused"], "the pause")
    first.wait_text("PAUSED")
    saved = len(records(run, CheckpointSaved))
    first.type("M")
    wait_for(lambda: len(records(run, CheckpointSaved)) > saved, "the milestone")
    first.type("P")
    wait_for(lambda: records(run, StateChanged)[-1].state in ("collecting", "learning"), "training to go on")

    first.type("q")
    first.wait_text("eep training")
    first.type("\r")
    wait_for(lambda: first.process.poll() is not None, "the interface's end")
    assert first.process.returncode == 0
    first.close()
    trainer = psutil.Process(records(run, RunStarted)[-1].pid)
    seen = len(records(run, IterationFinished))
    wait_for(lambda: len(records(run, IterationFinished)) >= seen + 3, "training without a terminal")

    second = Terminal(folder, "attach", run.name)
    windows.append(second)
    second.wait_text("Metrics")
    second.wait_text("COLLECTING")
    second.viewer.kill()
    assert second.wait_end() == 128 + signal.SIGKILL
    second.wait_text(f"a running trainer goes on, come back with: rltui attach {run.name}")
    seen = len(records(run, IterationFinished))
    wait_for(lambda: len(records(run, IterationFinished)) >= seen + 3, "training to go on")

    third = Terminal(folder, "attach", run.name)
    windows.append(third)
    third.wait_text("COLLECTING")
    third.type("S")
    wait_for(lambda: records(run, RunFinished), "the end of the run")
    third.close()
    wait_for(lambda: third.process.poll() is not None, "the third interface's end")

    end = records(run, RunFinished)[-1]
    assert end.exit_code == 0
    wait_for(lambda: not trainer.is_running(), "the trainer's end")
    assert complete_checkpoints(run)[-1].timesteps == end.timesteps
    iterations = [
        r.iteration for r in current_records(list(read_journal(run.journal))) if isinstance(r, IterationFinished)
    ]
    assert iterations == list(range(1, len(iterations) + 1)), "one history without a gap"


@pytest.mark.slow
@pytest.mark.parametrize("controlling", [True, False])
def test_closing_the_window_ends_the_interface_and_leaves_the_trainer_running(
    folder: Path, windows: list[Terminal], controlling: bool
) -> None:
    window = Terminal(folder, controlling=controlling)
    windows.append(window)
    window.wait_text("profile valid")
    window.type("\r")
    run = only_run(folder)
    wait_for(lambda: run.journal.exists() and records(run, IterationFinished), "an iteration")
    window.close()
    wait_for(lambda: window.process.poll() is not None, "the interface's end", 4.0)
    seen = len(records(run, IterationFinished))
    wait_for(lambda: len(records(run, IterationFinished)) >= seen + 3, "training to go on")
