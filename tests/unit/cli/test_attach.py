"""`rltui attach` and `rltui`: what they open, on a terminal that is only said to be there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rltui.__main__ import main
from rltui.runs.paths import DataDir
from rltui.supervise import guardian
from rltui.supervise.lifeline import Lifeline
from rltui.tui import app
from tests.fakes.saved_runs import make_run


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """What the cockpit was asked to open; it ends at once with 0."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def run_app(*args: Any, **options: Any) -> int:
        assert options.pop("lifeline") is not None
        calls.append((args, options))
        return 0

    monkeypatch.setattr(app, "run_app", run_app)
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
    assert opened == [((data, "new", False), {"ascii_only": False}), ((data, "old", True), {"ascii_only": True})]


def test_no_command_opens_the_launcher(tmp_path: Path, opened: list[Any]) -> None:
    assert main(["--data-dir", str(tmp_path), "--ascii"]) == 0
    assert opened == [((DataDir(tmp_path),), {"ascii_only": True})]


def test_attach_to_nothing_opens_nothing(tmp_path: Path, opened: list[Any]) -> None:
    assert main(["attach", "alpha", "--data-dir", str(tmp_path)]) == 1
    assert opened == []
