"""A child that has the terminal to itself: its Ctrl-C is its own, its settings do not stay, and it ends when we are to end; and
one under guard, whose leftovers nobody searches through, for the system takes them back.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

CHILD = """
import os, signal, termios, tty
signal.signal(signal.SIGINT, lambda *_: (print("child interrupted", flush=True), os._exit(7)))
tty.setcbreak(0)
print("in front" if os.tcgetpgrp(0) == os.getpgrp() else "behind", "no suspend" if termios.tcgetattr(0)[6][termios.VSUSP] == b"\\0" else "suspend", flush=True)
while True:
    signal.pause()
"""
PROGRAM = """
import os, sys
from pathlib import Path
from rltui.supervise.terminal import run_in_foreground
code = run_in_foreground([sys.executable, "-c", Path("child.py").read_text()], lambda: Path("end").exists())
print("code", code, "front again" if os.tcgetpgrp(0) == os.getpgrp() else "behind", flush=True)
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    (tmp_path / "child.py").write_text(CHILD)
    (tmp_path / "foreground_program.py").write_text(PROGRAM)
    opened = Terminal(tmp_path, module="foreground_program")
    yield opened
    opened.process.kill()
    opened.close()


def test_ctrl_c_is_the_childs_alone(terminal: Terminal) -> None:
    terminal.wait_text("in front no suspend")
    terminal.type(b"\x03")
    terminal.wait_text("child interrupted")
    terminal.wait_text("code 7 front again")
    assert terminal.wait_end() == 0
    assert terminal.settings() == terminal.settings_before


def test_when_we_are_asked_to_end_the_child_goes_first(terminal: Terminal, tmp_path: Path) -> None:
    terminal.wait_text("in front")
    (tmp_path / "end").touch()
    terminal.wait_text("code -15 front again")
    assert terminal.wait_end() == 0
    assert terminal.settings() == terminal.settings_before


GUARDED = """
import sys
from rltui.supervise.guardian import guarded

class Ring:
    def __init__(self):
        self.itself = self

    def __del__(self):
        print("found by a search for garbage", flush=True)

def work(lifeline):
    global ring
    ring = Ring()
    print("at work", flush=True)
    return 3

sys.exit(guarded(work))
"""


def test_what_is_left_is_not_searched_through(tmp_path: Path) -> None:
    (tmp_path / "guarded_program.py").write_text(GUARDED)
    terminal = Terminal(tmp_path, module="guarded_program")
    try:
        assert terminal.wait_end() == 3
        assert terminal.text.split() == ["at", "work"]
    finally:
        terminal.process.kill()
        terminal.close()
