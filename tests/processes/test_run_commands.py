"""`rltui ls`, `status` and `stop` against a trainer that is a real process (tests/fakes/small_trainer.py)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.runs.lock import RunLock, lock_holder
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient
from tests.fakes import small_trainer
from tests.fakes.saved_runs import make_run
from tests.fakes.training import wait_for

Start = Callable[..., "subprocess.Popen[bytes]"]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    (tmp_path / "rt").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "rt"))
    monkeypatch.setenv("RLTUI_DATA", str(tmp_path / "data"))
    return DataDir(tmp_path / "data")


@pytest.fixture
def paths(data: DataDir) -> RunPaths:
    return data.run("alpha")


@pytest.fixture
def start(data: DataDir) -> Iterator[Start]:
    made: list[subprocess.Popen[bytes]] = []

    def build(mode: str = "obey", run: str = "alpha") -> subprocess.Popen[bytes]:
        """One that is there already is not started again."""
        for process in made:
            if process.poll() is None and [mode, run] == [process.args[3], process.args[-1]]:  # type: ignore[index]
                return process
        command = [sys.executable, small_trainer.__file__, "train", mode, "--data-dir", str(data.root), "--run", run]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        made.append(process)
        paths = data.run(run)
        if mode == "mute":
            wait_for(
                lambda: paths.journal.is_file() and b"iteration_finished" in paths.journal.read_bytes(), "the trainer"
            )
        else:
            wait_for(lambda: sockets.read(paths.socket_file), "the trainer")
        return process

    yield build
    for process in made:
        process.kill()
        process.wait()


@pytest.fixture
def rltui(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_ls_and_status_show_each_run_with_its_state_and_who_controls(
    data: DataDir, start: Start, rltui: Run, paths: RunPaths
) -> None:
    make_run(data, "old", 2)
    start()
    code, out, _ = rltui("ls")
    assert code == 0
    head, *rows = out.splitlines()
    assert head.split()[:3] == ["RUN", "STATE", "TIMESTEPS"]
    assert [row.split()[:3] for row in rows[:2]] == [["alpha", "training", "4,096"], ["old", "stopped", "2,000"]]
    assert "14,100" in rows[0]
    code, out, _ = rltui("ls", "--json")
    document = json.loads(out)
    assert document["data_dir"] == str(data.root)
    assert [(run["name"], run["state"], run["timesteps"]) for run in document["runs"]] == [
        ("alpha", "training", 4096), ("old", "stopped", 2000),
    ]  # fmt: skip

    process = start()
    code, out, _ = rltui("status", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["run"], found["state"], found["training"], found["pid"]) == ("alpha", "collecting", True, process.pid)
    assert (found["timesteps"], found["speed"]) == (4096, {"steps_per_second": 14100.0, "iterations": 1})
    assert [worker["pid"] for worker in found["workers"]] == [4300, 4301]
    assert found["folder"] == str(paths.folder)
    assert found["controller"] is None
    code, out, _ = rltui("status", "alpha")
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert "collecting" in lines["state"]
    assert str(process.pid) in lines["trainer"]
    assert "14,100 steps/s" in lines["speed"]
    assert "none complete" in lines["checkpoint"]
    assert "WORKER" in lines

    from rltui.events.commands import Pause

    start()
    with ControlClient("ada") as viewer:
        viewer.connect(paths)
        viewer.send(Pause())
        wait_for(lambda: json.loads(rltui("status", "--json")[1])["state"] == "paused", "the pause")
        found = json.loads(rltui("status", "--json")[1])
    assert found["controller"] == "ada"
    assert "ada" in found["clients"]


def test_ls_of_nothing_says_how_to_begin(data: DataDir, rltui: Run) -> None:
    assert rltui("ls") == (0, f"no runs in {data.root}; start one: rltui train PROFILE\n", "")
    assert not data.root.exists()


def test_status_of_a_stopped_run_comes_from_the_disk_and_a_silent_trainer_is_said_so(
    data: DataDir, rltui: Run, paths: RunPaths
) -> None:
    make_run(data, "old", 3)
    code, out, _ = rltui("status", "old", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["state"], found["training"], found["workers"]) == ("stopped", False, None)
    assert found["checkpoint"]["timesteps"] == 3000
    assert found["checkpoints"] == 3
    code, out, _ = rltui("status", "old")
    assert "3,000" in out
    assert re.search(r"^trainer +none$", out, re.M)

    with RunLock(paths):
        code, out, _ = rltui("status", "alpha", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["state"], found["training"], found["workers"], found["timesteps"]) == ("silent", True, None, None)
    assert "starting or ending" in found["note"]


def test_no_such_run_names_the_nearest_and_what_does_not_train_is_not_stopped(data: DataDir, rltui: Run) -> None:
    make_run(data, "alpha", 1)
    code, out, err = rltui("status", "alfa")
    assert (code, out) == (1, "")
    assert 'did you mean "alpha"?' in err
    assert rltui("stop", "beta")[0] == 1
    assert rltui("attach", "beta")[0] == 1

    code, _, err = rltui("stop", "alpha")
    assert code == 1
    assert "run alpha is not training" in err
    assert "no run in" in rltui("stop")[2]


def test_stop_says_what_happened(start: Start, rltui: Run, paths: RunPaths, subtests: pytest.Subtests) -> None:
    for options, mode in ((["--abandon"], "abandon"), ([], "finish"), (["--now"], "now")):
        with subtests.test(mode):
            process = start()
            code, out, err = rltui("stop", *options)
            assert (code, err) == (0, "")
            first, *_, last = out.splitlines()
            assert f"asked pid {process.pid} to stop" in first
            assert f"ended at 4,096 timesteps (stop ({mode}) by " in last
            assert ("no checkpoint" if mode == "abandon" else str(paths.checkpoint(4096))) in last
            assert lock_holder(paths) is None
            assert process.wait(10.0) == 0


def test_stop_all_ends_every_run_and_names_each(start: Start, rltui: Run, data: DataDir) -> None:
    assert rltui("stop", "--all")[0] == 1
    processes = [start(run=run) for run in ("alpha", "beta")]
    code, _, err = rltui("stop")
    assert code == 2 and "2 runs are training: alpha, beta" in err and "rltui stop --all" in err
    assert rltui("stop", "alpha", "--all")[0] == 2
    code, out, err = rltui("stop", "--all")
    assert (code, err) == (0, "")
    for process, run in zip(processes, ("alpha", "beta"), strict=True):
        first, *_, last = [line for line in out.splitlines() if line.startswith(f"{run}: ")]
        assert f"asked pid {process.pid} to stop" in first and "ended at 4,096 timesteps" in last
        assert lock_holder(data.run(run)) is None
        assert process.wait(10.0) == 0


def test_stop_works_while_somebody_else_holds_control(start: Start, rltui: Run, paths: RunPaths) -> None:
    start()
    with ControlClient("a forgotten viewer") as viewer:
        assert viewer.connect(paths).controller == "a forgotten viewer"
        assert rltui("stop")[0] == 0
    assert lock_holder(paths) is None
    journal = paths.journal.read_text()
    assert '"command":"stop"' in journal
    assert f"pid {os.getpid()}" in journal  # the audit names who


def test_stop_without_waiting_only_asks(start: Start, rltui: Run) -> None:
    process = start()
    code, out, _ = rltui("stop", "--wait", "0")
    assert code == 0
    [line] = [line for line in out.splitlines() if not line.startswith("state:")]
    assert line.endswith("finish the iteration, save, end")
    assert process.wait(10.0) == 0


def test_stop_by_signal_where_there_is_no_socket(start: Start, rltui: Run) -> None:
    process = start("mute")
    code, out, _ = rltui("stop", "--now")
    assert code == 0
    assert f"sending pid {process.pid} a signal instead" in out
    assert "Ctrl-C, " in out.splitlines()[-1]


def test_a_trainer_that_does_not_obey_goes_on_and_is_killed_when_abandoned(
    start: Start, rltui: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start("deaf")
    code, _, err = rltui("stop", "--wait", "0.3")
    assert code == 1
    assert "had not ended after 0.3 s" in err
    assert "--abandon" in err
    assert process.poll() is None

    monkeypatch.setattr("rltui.cli.stop.ABANDON_SECONDS", 0.3)
    monkeypatch.setattr("rltui.cli.stop.KILL_SECONDS", 0.5)
    process = start("deaf")
    code, out, _ = rltui("stop", "--abandon")
    assert code == 0
    assert "did not end by itself: killed" in out
    assert process.wait(10.0) == -signal.SIGKILL


def test_which_of_several_must_be_said(start: Start, rltui: Run) -> None:
    start(run="alpha")
    start(run="beta")
    code, _, err = rltui("stop")
    assert code == 2
    assert "alpha, beta" in err
    assert rltui("stop", "beta")[0] == 0
    assert rltui("stop")[0] == 0  # only alpha is left
