"""What `main` makes of errors, interrupts and broken pipes."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main, program
from rltui.errors import RltuiError


def make_command(monkeypatch: pytest.MonkeyPatch, work: object) -> None:
    monkeypatch.setattr("rltui.cli.ls.run", work)


def test_an_error_for_people_is_printed_without_a_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(args: argparse.Namespace) -> int:
        raise RltuiError("no such thing", "look elsewhere\nor nowhere", exit_code=2)

    make_command(monkeypatch, work)
    assert main(["ls"]) == 2
    printed = capsys.readouterr()
    assert printed.err == "rltui: no such thing\n  look elsewhere\n  or nowhere\n"
    assert printed.out == ""


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def work(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    make_command(monkeypatch, work)
    assert main(["ls"]) == 1
    assert capsys.readouterr().err == "rltui: interrupted\n"


def test_the_command_s_exit_code_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    make_command(monkeypatch, lambda args: 1)
    assert main(["ls"]) == 1
    monkeypatch.setattr("sys.argv", ["rltui", "ls"])
    frozen = list[bool]()
    monkeypatch.setattr("gc.freeze", lambda: frozen.append(True))
    with pytest.raises(SystemExit) as end:
        program()
    assert end.value.code == 1 and frozen, "and no search for garbage"


def test_a_bug_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(args: argparse.Namespace) -> int:
        raise ZeroDivisionError

    make_command(monkeypatch, work)
    with pytest.raises(ZeroDivisionError):
        main(["ls"])

    def other(args: argparse.Namespace) -> int:
        raise RuntimeError("of no GPU")

    make_command(monkeypatch, other)
    with pytest.raises(RuntimeError, match="of no GPU"):
        main(["ls"])


def test_a_failed_gpu_is_told_and_left_without_the_interpreters_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever command's call to torch it was."""
    left = list[int]()
    monkeypatch.setattr("rltui.__main__._leave", left.append)

    def work(args: argparse.Namespace) -> int:
        raise RuntimeError("CUDA error: out of luck\nCUDA kernel errors might be reported later")

    make_command(monkeypatch, work)
    import torch  # noqa: F401 - else no GPU can have failed

    main(["ls"])
    assert capsys.readouterr().err.splitlines()[0] == "rltui: the GPU failed: CUDA error: out of luck"
    assert left == [1]


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / "runs" / f"run-{number}-{'x' * 80}").mkdir(parents=True)
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "rltui", "ls", "--data-dir", str(tmp_path)]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_nobody_takes_hides_no_failure() -> None:
    script = (
        "import sys; from rltui.cli import ls; from rltui.__main__ import main; "
        "ls.run = lambda args: print('words') or 1; sys.exit(main(['ls']))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_output_is_safe_where_only_ascii_is_known(tmp_path: Path) -> None:
    name = tmp_path / "Rénè→"
    (name / "runs").mkdir(parents=True)
    command = [sys.executable, "-m", "rltui", "ls", "--data-dir", str(name)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert done.stdout.isascii()
    assert b"no runs in" in done.stdout
