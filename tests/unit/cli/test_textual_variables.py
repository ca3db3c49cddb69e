"""Every variable that Textual reads and chokes on, as a person might set it; those of no harm are left to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.console import COLOR_SYSTEMS as RICHS

from rltui.cli.cockpit import COLOR_SYSTEMS, check_textual_variables
from rltui.errors import RltuiError

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


@pytest.mark.parametrize("environ", [{}, *HARMLESS])
def test_what_textual_takes_no_notice_of(environ: dict[str, str]) -> None:
    check_textual_variables(environ)


@pytest.mark.parametrize(
    ("environ", "named", "expected"),
    [
        ({"TEXTUAL_COLOR_SYSTEM": "nonsense"}, "TEXTUAL_COLOR_SYSTEM is 'nonsense'", "truecolor"),
        ({"TEXTUAL_COLOR_SYSTEM": ""}, "TEXTUAL_COLOR_SYSTEM is ''", "auto, standard"),
        ({"TEXTUAL_FPS": "1000000000"}, "TEXTUAL_FPS is '1000000000'", "at most 1000"),
        ({"TEXTUAL_SCREENSHOT": "0"}, "TEXTUAL_SCREENSHOT is '0'", "at least 1"),
        ({"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_LOCATION": "/no/such"}, "LOCATION is '/no/such'", "a folder"),
        (
            {"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_LOCATION": "~nobody-here"},
            "LOCATION is '~nobody",
            "a folder",
        ),
        (
            {"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_FILENAME": "/no/such/a.svg"},
            "FILENAME is '/no/such",
            "a file",
        ),
        ({"TEXTUAL_LOG": "/no/such/folder/log"}, "TEXTUAL_LOG is '/no/such/folder/log'", "a file"),
        ({"TEXTUAL_LOG": "/"}, "TEXTUAL_LOG is '/'", "a file"),
        ({"TEXTUAL_SCREENSHOT": "9" * 400}, "TEXTUAL_SCREENSHOT is '9", "at most 2,147,483,647"),
        ({"TEXTUAL_DIM_FACTOR": "9" * 400}, "TEXTUAL_DIM_FACTOR is '9", "at most 2,147,483,647"),
        ({"ESCDELAY": "9" * 400}, "ESCDELAY is '9", "at most 2,147,483,647"),
    ],
)
def test_what_it_would_choke_on(environ: dict[str, str], named: str, expected: str) -> None:
    with pytest.raises(RltuiError) as caught:
        check_textual_variables(environ)
    assert named in caught.value.message and expected in caught.value.message.partition("expected")[2]
    assert caught.value.exit_code == 2


def test_a_pipe_would_be_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RltuiError, match="TEXTUAL_LOG"):
        check_textual_variables({"TEXTUAL_LOG": str(tmp_path / "pipe")})


def test_what_can_be_written_is_right(tmp_path: Path) -> None:
    check_textual_variables(
        {"TEXTUAL_LOG": str(tmp_path / "log"), "TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_LOCATION": str(tmp_path)}
    )
    check_textual_variables({"TEXTUAL_SCREENSHOT": "1", "TEXTUAL_SCREENSHOT_FILENAME": "~/a.svg"})
    assert list(tmp_path.iterdir()) == []


def test_the_color_systems_are_richs() -> None:
    assert set(COLOR_SYSTEMS) == {"auto", *RICHS}
    for name in COLOR_SYSTEMS:
        check_textual_variables({"TEXTUAL_COLOR_SYSTEM": name})
