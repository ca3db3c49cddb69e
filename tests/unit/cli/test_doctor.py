"""`rltui doctor` as people and programs see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.debug.doctor import CHECKS
from rltui.debug.doctor_training import LEARNING_CHECKS, SPEED_CHECKS


def test_through_a_pipe_on_a_dumb_terminal(tmp_path: Path) -> None:
    env = {**os.environ, "TERM": "dumb", "PYTHONIOENCODING": "ascii"}
    names = [check.name for check in CHECKS if check not in (*SPEED_CHECKS, *LEARNING_CHECKS)]  # which import torch
    names.remove("shared memory")
    only = [word for name in names for word in ("--only", name)]
    command = [sys.executable, "-m", "rltui", "doctor", *only, "--data-dir", str(tmp_path / "data")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode("ascii").splitlines()
    assert [line.split(":")[0] for line in lines[: len(names)]] == [f"[OK]   {name}" for name in names]
    assert lines[-1] == "quick can be trained here"
    assert not (tmp_path / "data").exists()


def test_a_profile_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "no-such-profile", "--data-dir", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "[FAIL] profile: " in out and "no-such-profile" in out
    assert "[WARN] spaces: not tried, for profile failed" in out
    assert out.splitlines()[-1].startswith(
        f"1 of {len(CHECKS)} checks failed: no-such-profile should not be trained here"
    )
    assert "Traceback" not in out + err


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "no-such-profile", "--json", "--data-dir", str(tmp_path)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["profile"], found["outcome"]) == ("no-such-profile", "fail")
    assert [check["name"] for check in found["checks"]] == [check.name for check in CHECKS]
    assert set(found["checks"][0]) == {"name", "outcome", "sentence", "advice", "seconds", "figures"}


def test_some_checks_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ["--only", "profile", "--only", "resets", "--only", "rewards"]
    assert main(["doctor", "campaign", "--lines", "--data-dir", str(tmp_path), *only]) == 0
    first, *said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert first == {"checks": ["profile", "resets", "rewards"]}
    assert [line.get("running") or line["name"] for line in said] == [
        name for check in first["checks"] for name in (check, check)
    ]
    assert all(line["outcome"] == "pass" for line in said if "name" in line)


def test_a_check_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--only", "resetz"]) == 2
    assert 'did you mean "resets"?' in capsys.readouterr().err
