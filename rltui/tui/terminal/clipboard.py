"""The clipboard: the system's own tool first, then the terminal (OSC 52). Says which of them took the text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from rltui.tui.terminal import sequences

SECONDS = 2.0  # that a tool may take
Which = Callable[[str], str | None]
Run = Callable[[Sequence[str], bytes], bool]


def copy(
    text: str, write: Callable[[str], None], environ: Mapping[str, str], which: Which = shutil.which, run: Run | None = None
) -> str:  # fmt: skip
    """In words who took it; empty where nobody did. Waits for the tool: call it from a thread."""
    for command in tools(environ, which):
        if (run or _run)(command, text.encode("utf-8", "replace")):
            return f"copied by {command[0]}"
    sequence = sequences.clipboard(text, environ)
    if sequence is None:
        return ""
    write(sequence)
    hint = "; tmux needs set-clipboard on, or allow-passthrough on" if environ.get("TMUX") else ""
    return f"given to the terminal (OSC 52){hint}"


def tools(environ: Mapping[str, str], which: Which = shutil.which, platform: str = sys.platform) -> list[list[str]]:
    """The commands that reach this person's clipboard, best first. One on the far end of ssh reaches nobody's."""
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
