"""Escape sequences for titles, notifications and the clipboard; clipboard tools."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from rltui.supervise.terminal import in_browser
from rltui.tui.text import clean, crop_text

LONGEST = 200  # characters of a title or notification
OSC52_BYTES = 74_994  # of base64: what k9s and xterm take; longer ones are dropped by terminals without a word
SECONDS = 2.0  # that a tool may take
PUSH_TITLE, POP_TITLE = "\x1b[22;2t", "\x1b[23;2t"
Which = Callable[[str], str | None]
Run = Callable[[Sequence[str], bytes], bool]


def notification(text: str, environ: Mapping[str, str]) -> str:
    """OSC 9: a desktop notification in iTerm2, kitty, WezTerm, ghostty, Windows Terminal; others pass it over."""
    return wrapped(f"\x1b]9;{_plain(text)}\x07", environ)


def title(text: str) -> str:
    """OSC 2; tmux takes it as the pane's title."""
    return f"\x1b]2;{_plain(text)}\x07"


def clipboard(text: str, environ: Mapping[str, str]) -> str | None:
    """OSC 52; None where the text is longer than terminals take. To tmux itself too, which may take it or pass it on."""
    coded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(coded) > OSC52_BYTES:
        return None
    sequence = f"\x1b]52;c;{coded}\x07"
    return sequence + wrapped(sequence, environ) if environ.get("TMUX") else sequence


def wrapped(sequence: str, environ: Mapping[str, str]) -> str:
    """As tmux passes it through to the terminal around it, where `allow-passthrough` is on; as it is elsewhere."""
    if not environ.get("TMUX"):
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def _plain(text: str) -> str:
    return crop_text(clean(text), LONGEST)


def copy(
    text: str, write: Callable[[str], None], environ: Mapping[str, str], which: Which = shutil.which, run: Run | None = None
) -> str:  # fmt: skip
    """Copy the text; in words who took it, empty where nobody did. Waits for the tool: call it from a thread."""
    for command in tools(environ, which):
        if (run or _run)(command, text.encode("utf-8", "replace")):
            return f"copied by {command[0]}"
    sequence = clipboard(text, environ)
    if sequence is None:
        return ""
    write(sequence)
    hint = "; tmux needs set-clipboard on, or allow-passthrough on" if environ.get("TMUX") else ""
    return f"given to the terminal (OSC 52){hint}"


def tools(environ: Mapping[str, str], which: Which = shutil.which, platform: str = sys.platform) -> list[list[str]]:
    """The commands that reach this person's clipboard, best first. One on the far end of ssh or of a
    browser reaches nobody's.
    """
    if in_browser(environ):
        return []
    found: list[list[str]] = []
    if environ.get("WAYLAND_DISPLAY"):
        found.append(["wl-copy"])
    if environ.get("DISPLAY"):
        found += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if not environ.get("SSH_CONNECTION"):
        found += [["pbcopy"]] if platform == "darwin" else []
        found += [["clip.exe"]] if platform == "win32" or environ.get("WSL_DISTRO_NAME") else []
    return [command for command in found if which(command[0])]


def _run(command: Sequence[str], text: bytes) -> bool:
    """Whether it took the text. Nothing that it leaves running (xclip does) keeps a pipe of ours."""
    try:
        done = subprocess.run(
            command, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False, start_new_session=True
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
