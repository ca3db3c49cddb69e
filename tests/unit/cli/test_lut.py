"""`rltui lut` as people and programs see it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rltui.__main__ import main
from rltui.cli import output
from rltui.cli.output import say_outcome
from tests.fakes.tables import RLGYM, column, without


@pytest.fixture
def no_left(tmp_path: Path) -> str:
    path = tmp_path / "no-left.csv"
    np.savetxt(path, without(RLGYM, column(RLGYM, "steer") < 0), delimiter=",", fmt="%g")
    return str(path)


def test_what_is_shipped_passes(subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]) -> None:
    for argument in [[], ["phase-2-bronze-skills"], ["hybrid"]]:
        with subtests.test(argument=argument):
            assert main(["lut", *argument]) == 0
            out = capsys.readouterr().out
            assert out.splitlines()[-1] == "[OK]   the table passes"
            assert "[FAIL]" not in out and "[WARN]" not in out
            assert all(
                state in out for state in ("kickoff", "driving", "in the air", "no flip left", "turtled", "on a wall")
            )
            tables, findings = out.rpartition("\n\n[OK]   ")[0].split("\n\n")[1:3], out.index("more checks")
            assert all(len(line) <= 100 for table in tables for line in table.splitlines())
            assert out.index("turtled") < findings  # the tables come first, so that the verdict is in sight at the end


def test_a_table_that_fails(no_left: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lut", no_left]) == 1
    out = capsys.readouterr().out
    assert "[FAIL] no row turns left while driving: the bot could only turn right\n" in out
    assert "row 0 is " in out and "no-left.csv, line 1" in out
    assert out.splitlines()[-1].startswith("[FAIL] the table fails")


def test_all_shows_what_passed_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["lut", "rlgym", "--all"])
    assert "[OK]   turns left: 24 rows; turns right: 24 rows\n" in capsys.readouterr().out


def test_json(no_left: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lut", no_left, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["rows"]) == ("fail", 66)
    assert {check["outcome"] for check in found["checks"]} == {"pass", "fail"}
    assert [state["state"] for state in found["states"]][:2] == ["kickoff", "driving"]
    assert found["states"][1]["moves"]["turns left"] == 0
    assert len(found["controls"]) == len(found["words"]) == 66
    assert found["words"][found["controls"].index([1, 0, 0, 0, 0, 0, 1, 0])] == "full throttle, boost"


def test_a_slip_of_the_pen_is_answered_with_what_is_near(
    subtests: pytest.Subtests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong, near in [("hybird", "hybrid"), ("quik", "quick"), ("alpah", "alpha")]:
        with subtests.test(wrong=wrong, near=near):
            (tmp_path / "runs" / "alpha").mkdir(parents=True, exist_ok=True)
            assert main(["lut", wrong, "--data-dir", str(tmp_path)]) == 2
            assert f'did you mean "{near}"?' in capsys.readouterr().err


def test_a_run_s_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "runs" / "alpha"
    folder.mkdir(parents=True)
    (folder / "run.toml").write_text('schema = 1\n[rewards]\ntouch = 1\n[actions]\ntable = "hybrid"\n')
    assert main(["lut", "alpha", "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("the table hybrid of run alpha: ")


def test_where_there_is_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "PPO_POLICY.pt").write_bytes(b"")
    assert main(["lut", str(tmp_path)]) == 0
    assert "no action table" in capsys.readouterr().out
    assert main(["lut", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] is None


def test_it_runs_without_a_terminal_and_without_utf_8(no_left: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    done = subprocess.run([sys.executable, "-m", "rltui", "lut", no_left], capture_output=True, env=env, check=False)
    assert done.returncode == 1
    assert done.stderr == b""
    assert done.stdout.isascii() and b"\x1b" not in done.stdout
    assert b"throttle (3) x pitch (3)" in done.stdout


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colour_and_folded_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(output.shutil, "get_terminal_size", lambda: os.terminal_size((50, 24)))
    out = Terminal()
    say_outcome("fail", "one two three four five six seven eight nine ten eleven", out)
    first, second = out.getvalue().splitlines()
    assert first.startswith("\x1b[31m[FAIL]\x1b[0m one two")
    assert second.startswith("       ") and second.endswith("eleven")


def test_no_colour_where_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm")
            patch.delenv("NO_COLOR", raising=False)
            patch.setenv(name, value)
            out = Terminal()
            say_outcome("warn", "text", out)
            assert out.getvalue() == "[WARN] text\n", name


def test_what_a_file_says_does_not_act_on_the_terminal() -> None:
    out = io.StringIO()
    say_outcome("pass", "a\x1b[2Jb\nc", out)
    assert out.getvalue() == "[OK]   a\\x1b[2Jb\n       c\n"
