"""The real program leaves the terminal as it was, however it is told to go."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal
from tests.fakes.training import wait_for

LEFT_CLEAN = {
    "alternate screen left": b"\x1b[?1049l",
    "cursor shown": b"\x1b[?25h",
    "mouse off": b"\x1b[?1000l",
    "bracketed paste off": b"\x1b[?2004l",
}
GO: dict[str, Callable[[Terminal], None]] = {
    "q": lambda terminal: terminal.type("q"),
    "SIGTERM": lambda terminal: terminal.process.send_signal(signal.SIGTERM),
    "SIGHUP": lambda terminal: terminal.process.send_signal(signal.SIGHUP),
}


@pytest.mark.parametrize("way", GO)
def test_the_terminal_is_left_as_it_was(tmp_path: Path, way: str) -> None:
    terminal = Terminal(tmp_path)
    terminal.wait_text("Profiles")
    terminal.forget()
    GO[way](terminal)
    wait_for(lambda: terminal.process.poll() is not None, "the program's end")
    assert terminal.process.returncode == 0
    for what, code in LEFT_CLEAN.items():
        wait_for(lambda code=code: code in terminal.raw, what)
    terminal.close()


def test_without_utf8_nothing_but_ascii_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    terminal = Terminal(tmp_path, columns=80, rows=24)
    terminal.wait_text("What to train")
    terminal.type("q")
    wait_for(lambda: terminal.process.poll() is not None, "the program's end")
    assert terminal.text.isascii()
    assert "|" in terminal.text
    terminal.close()
