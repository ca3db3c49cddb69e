"""The end of what is guarded: its exit code, and no search through what it leaves behind, which the system takes back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

PROGRAM = """
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
    (tmp_path / "guarded_program.py").write_text(PROGRAM)
    terminal = Terminal(tmp_path, module="guarded_program")
    try:
        assert terminal.wait_end() == 3
        assert terminal.text.split() == ["at", "work"]
    finally:
        terminal.process.kill()
        terminal.close()
