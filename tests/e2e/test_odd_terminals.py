"""What terminals, slow lines and shells do to the real program: cut pastes, stray answers, stale sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal
from tests.fakes.training import wait_for

Open = Callable[..., Terminal]


@pytest.fixture
def window(tmp_path: Path, windows: list[Terminal]) -> Open:
    """Opens the launcher on a terminal of its own."""

    def opened(**manner: object) -> Terminal:
        terminal = Terminal(tmp_path, **manner)  # type: ignore[arg-type]
        windows.append(terminal)
        terminal.wait_screen("q Quit")
        return terminal

    return opened


def test_a_size_that_the_shell_exports_is_not_believed(window: Open) -> None:
    """COLUMNS and LINES of long ago, or of another machine."""
    terminal = window(columns=80, rows=24, env={"COLUMNS": "5000", "LINES": "3000"})
    wait_for(lambda: "q Quit" in terminal.screen.split("\n")[23], "a footer in the last row")
    terminal.resize(110, 30)
    wait_for(lambda: "q Quit" in terminal.screen.split("\n")[29], "a footer in the last row")
    terminal.type("q")
    assert terminal.wait_end() == 0


def test_a_paste_cut_in_two_and_answers_to_nobody_are_no_keys(window: Open) -> None:
    terminal = window(columns=100, rows=30)
    terminal.type(
        "\x1b]11;rgb:bbbb/bbbb/bbbb\x07\x1bP1$rq\x1b\\\x1b]4;1;rgb:q/q/q\x1b\\"
    )  # b opens the browser, q leaves
    terminal.type("/")
    wait_for(lambda: "a regular expression; !" in terminal.screen, "the filter")
    terminal.type("\x1b[200~ab")
    terminal.type("cd\x1b[20")
    seen = len(terminal.raw)
    terminal.resize(101, 30)  # what is drawn for it comes after a pause in the input, or before: neither may matter
    wait_for(lambda: len(terminal.raw) > seen, "something drawn")
    terminal.type("1~\x1b[120;1;120u\x1b[120;1:3u")
    terminal.wait_screen("abcdx")
    assert "Milestones and checkpoints" not in terminal.text


def test_a_paste_of_a_megabyte_is_cut_and_holds_nothing_up(window: Open) -> None:
    terminal = window(columns=120, rows=40)
    terminal.type("/")
    wait_for(lambda: "a regular expression; !" in terminal.screen, "the filter")
    terminal.type("\x1b[200~" + "é" * 500_000 + "\x1b[201~")
    terminal.wait_screen("500,000")
    terminal.type("\x1b")
    wait_for(lambda: "éé" not in terminal.screen, "an empty filter")
    terminal.type("q")
    assert terminal.wait_end() == 0
