"""`rltui attach` and `rltui`: what they open, on a terminal that is only said to be there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from rltui.__main__ import main
from rltui.cli import cockpit
from rltui.cli.parser import parse
from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.supervise import guardian
from rltui.supervise.guardian import Lifeline
from rltui.tui import program
from tests.fakes.saved_runs import make_run


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """What the cockpit was asked to open; it ends at once with 0."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def run_app(*args: Any, **options: Any) -> int:
        assert options.pop("lifeline") is not None
        calls.append((args, options))
        return 0

    monkeypatch.setattr(program, "run_app", run_app)
    monkeypatch.setattr(guardian, "guarded", lambda work: work(Lifeline()))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    return calls


def test_attach_opens_the_run_that_is_named_or_the_newest(tmp_path: Path, opened: list[Any]) -> None:
    data = DataDir(tmp_path)
    make_run(data, "old", 1, time=1_600_000_000.0)
    make_run(data, "new", 1)
    assert main(["attach", "--data-dir", str(tmp_path)]) == 0
    assert main(["attach", "old", "--readonly", "--ascii", "--data-dir", str(tmp_path)]) == 0
    assert main(["attach", "old", "--no-mouse", "--data-dir", str(tmp_path)]) == 0
    assert opened == [
        ((data, "new", False), {"ascii_only": False, "mouse": True}),
        ((data, "old", True), {"ascii_only": True, "mouse": True}),
        ((data, "old", False), {"ascii_only": False, "mouse": False}),
    ]


def test_no_command_opens_the_launcher(tmp_path: Path, opened: list[Any]) -> None:
    assert main(["--data-dir", str(tmp_path), "--ascii"]) == 0
    assert main(["--data-dir", str(tmp_path), "--no-mouse"]) == 0
    assert opened == [
        ((DataDir(tmp_path),), {"ascii_only": True, "mouse": True}),
        ((DataDir(tmp_path),), {"ascii_only": False, "mouse": False}),
    ]


def test_over_ssh_it_draws_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"})
    cockpit.go_easy_over_ssh()
    assert os.environ["TEXTUAL_FPS"] == "15"
    monkeypatch.setattr("os.environ", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "TEXTUAL_FPS": "5"})
    cockpit.go_easy_over_ssh()
    assert os.environ["TEXTUAL_FPS"] == "5"  # the user's wish
    monkeypatch.setattr("os.environ", {})
    cockpit.go_easy_over_ssh()
    assert "TEXTUAL_FPS" not in os.environ


def test_attach_to_nothing_opens_nothing(tmp_path: Path, opened: list[Any]) -> None:
    assert main(["attach", "alpha", "--data-dir", str(tmp_path)]) == 1
    assert opened == []


@pytest.mark.parametrize("command", [[], ["attach", "alpha"]])
def test_what_textual_would_choke_on_opens_nothing(
    tmp_path: Path, opened: list[Any], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    make_run(DataDir(tmp_path), "alpha", 1)
    monkeypatch.setenv("TEXTUAL_COLOR_SYSTEM", "nonsense")
    run, args = parse([*command, "--data-dir", str(tmp_path)])
    with pytest.raises(RltuiError, match="TEXTUAL_COLOR_SYSTEM is 'nonsense'"):
        run(args)
    assert opened == []
