"""Whether a terminal is as it was before a program drew on it."""

from __future__ import annotations

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


def left_as_it_was(terminal: Terminal) -> bool:
    """Each mode's last word is "off", and `stty` shows what it did before."""
    written = terminal.raw
    return terminal.settings() == terminal.settings_before and all(
        written.rfind(off) > written.rfind(on) for on, off in ON_AND_OFF.values()
    )


def colours(written: bytes) -> list[bytes]:
    """Every colour that was chosen and is no grey."""
    starts = (b"\x1b[38;2;", b"\x1b[48;2;", b"\x1b[31m", b"\x1b[32m")
    return [start for start in starts if any(_is_no_grey(start, rest) for rest in written.split(start)[1:])]


def _is_no_grey(start: bytes, rest: bytes) -> bool:
    parts = rest.partition(b"m")[0].split(b";")[:3]
    return len(set(parts)) > 1 or not start.endswith(b";")


def wait_left_as_it_was(terminal: Terminal, seconds: float = 10.0) -> None:
    wait_for(lambda: left_as_it_was(terminal), f"a clean terminal; its last: {terminal.raw[-500:]!r}", seconds)
