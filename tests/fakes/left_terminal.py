"""Whether a terminal is as it was before a program drew on it."""

from __future__ import annotations

import re

from tests.fakes.terminal import Terminal
from tests.fakes.training import wait_for

ON_AND_OFF = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "mouse": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "all mouse moves": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "mouse reports of urxvt": (b"\x1b[?1015h", b"\x1b[?1015l"),
    "mouse reports of SGR": (b"\x1b[?1006h", b"\x1b[?1006l"),
    "focus reports": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "bracketed paste": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "kitty keys": (b"\x1b[>", b"\x1b[<u"),
    "hidden cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "cut lines": (b"\x1b[?7l", b"\x1b[?7h"),
}
CHOSEN = re.compile(rb"\x1b\[([\d;]+)m")
COLOUR = re.compile(rb"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\b(?:[34]|9|10)[1-6]\b")  # of 16.7 million, of 256, of 16
GREYS = (0, 7, 8, 15, 16, 231, *range(232, 256))  # of 256


def left_as_it_was(terminal: Terminal) -> bool:
    """The last word on each mode that was switched on is "off", and `stty` shows what it did before."""
    written = terminal.raw
    return terminal.settings() == terminal.settings_before and all(
        written.rfind(off) >= written.rfind(on) for on, off in ON_AND_OFF.values()
    )


def colours(written: bytes) -> list[bytes]:
    """Every colour that was chosen and is no grey; a sequence that is cut short has chosen nothing yet."""
    return [code for sequence in CHOSEN.findall(written) for code in COLOUR.findall(sequence) if not _is_grey(code)]


def _is_grey(code: bytes) -> bool:
    _, *parts = map(int, code.split(b";"))
    return bool(parts) and (len(set(parts[1:])) == 1 if parts[0] == 2 else parts[1] in GREYS)


def wait_left_as_it_was(terminal: Terminal, seconds: float = 10.0) -> None:
    wait_for(lambda: left_as_it_was(terminal), f"a clean terminal; its last: {terminal.raw[-500:]!r}", seconds)
