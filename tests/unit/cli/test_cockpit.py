"""`rltui attach` and `rltui`: what they open on a terminal that is only said to be there; variables that Textual chokes on."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import COLOR_SYSTEMS as RICHS

from rltui.__main__ import main
from rltui.cli import cockpit
from rltui.cli.cockpit import COLOR_SYSTEMS, check_textual_variables
from rltui.cli.parser import parse
from rltui.errors import RltuiError
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.supervise import guardian
from rltui.supervise.guardian import Lifeline
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
    assert main(["attach", "old", "--no-mouse", "--data-dir", str(tmp_path)]) == 0
    assert opened == [
        ((data, "new", False), {"ascii_only": False, "mouse": True}),
        ((data, "old", True), {"ascii_only": True, "mouse": True}),
        ((data, "old", False), {"ascii_only": False, "mouse": False}),
    ]


def test_attach_asks_which_where_two_are_training(tmp_path: Path, opened: list[Any]) -> None:
    data = DataDir(tmp_path)
    with RunLock(make_run(data, "alpha", 1)), RunLock(make_run(data, "beta", 1)):
        assert main(["attach", "beta", "--data-dir", str(tmp_path)]) == 0
        assert main(["attach", "--data-dir", str(tmp_path)]) == 2
    assert [call[0][1] for call in opened] == ["beta"]


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


def test_what_textual_would_choke_on_opens_nothing(
    tmp_path: Path, opened: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(DataDir(tmp_path), "alpha", 1)
    monkeypatch.setenv("TEXTUAL_COLOR_SYSTEM", "nonsense")
    for command in ([], ["attach", "alpha"]):
        run, args = parse([*command, "--data-dir", str(tmp_path)])
        with pytest.raises(RltuiError, match="TEXTUAL_COLOR_SYSTEM is 'nonsense'"):
            run(args)
    assert opened == []


HARMLESS = [
    {"TEXTUAL": "nonsense"},
    {"TEXTUAL_ANIMATIONS": "nonsense"},
    {"TEXTUAL_FPS": "nonsense"},  # Textual takes its own 60
    {"TEXTUAL_FPS": "-3"},
    {"TEXTUAL_FPS": "1000"},
    {"TEXTUAL_DIM_FACTOR": "900"},
    {"TEXTUAL_DRIVER": "nonsense"},  # it is not asked for one
    {"TEXTUAL_LOG": ""},
    {"TEXTUAL_SCREENSHOT": "nonsense"},
    {"TEXTUAL_SCREENSHOT_LOCATION": "/no/such/folder"},  # nor for a picture
    {"TEXTUAL_THEME": "nonsense"},
]


def test_what_it_would_choke_on(subtests: pytest.Subtests) -> None:
    for environ, named, expected in [
        ({"TEXTUAL_COLOR_SYSTEM": "nonsense"}, "TEXTUAL_COLOR_SYSTEM is 'nonsense'", "truecolor"),
        ({"TEXTUAL_COLOR_SYSTEM": ""}, "TEXTUAL_COLOR_SYSTEM is ''", "auto, standard"),
        ({"TEXTUAL_FPS": "1000000000"}, "TEXTUAL_FPS is '1000000000'", "at most 1000"),
        ({"TEXTUAL_SCREENSHOT": "0"}, "TEXTUAL_SCREENSHOT is '0'", "at least 1"),
        (
            {"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_LOCATION": "/no/such"},
            "LOCATION is '/no/such'",
            "a writable folder",
        ),
        (
            {"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_LOCATION": "~nobody-here"},
            "LOCATION is '~nobody",
            "a writable folder",
        ),
        (
            {"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_FILENAME": "/no/such/a.svg"},
            "FILENAME is '/no/such",
            "a writable file",
        ),
        ({"TEXTUAL_LOG": "/no/such/folder/log"}, "TEXTUAL_LOG is '/no/such/folder/log'", "a writable file"),
        ({"TEXTUAL_LOG": "/"}, "TEXTUAL_LOG is '/'", "a writable file"),
        ({"TEXTUAL_SCREENSHOT": "9" * 400}, "TEXTUAL_SCREENSHOT is '9", "at most 2,147,483,647"),
        ({"TEXTUAL_DIM_FACTOR": "9" * 400}, "TEXTUAL_DIM_FACTOR is '9", "at most 2,147,483,647"),
        ({"ESCDELAY": "9" * 400}, "ESCDELAY is '9", "at most 2,147,483,647"),
    ]:
        with subtests.test(environ=environ, named=named, expected=expected):
            with pytest.raises(RltuiError) as caught:
                check_textual_variables(environ)
            assert named in caught.value.message and expected in caught.value.message.partition("expected")[2]
            assert caught.value.exit_code == 2


def test_what_textual_takes_or_takes_no_notice_of(
    subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert set(COLOR_SYSTEMS) == {"auto", *RICHS}
    picture = {"TEXTUAL_SCREENSHOT": "1"}
    written = [
        {"TEXTUAL_LOG": str(tmp_path / "log"), "TEXTUAL_SCREENSHOT_LOCATION": str(tmp_path), **picture},
        {"TEXTUAL_SCREENSHOT_FILENAME": "~/a.svg", **picture},
    ]
    for environ in ({}, *HARMLESS, *written, *({"TEXTUAL_COLOR_SYSTEM": name} for name in COLOR_SYSTEMS)):
        with subtests.test(environ=environ):
            check_textual_variables(environ)
    assert list(tmp_path.iterdir()) == []
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RltuiError, match="TEXTUAL_LOG"):  # it would be waited for
        check_textual_variables({"TEXTUAL_LOG": str(tmp_path / "pipe")})
