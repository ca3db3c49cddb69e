"""Sequences that are written to the terminal, and the tools that reach its user's clipboard."""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from rltui.supervise.terminal import WEB_DRIVER
from rltui.tui.terminal import clipboard
from rltui.tui.terminal.clipboard import OSC52_BYTES


def test_a_desktop_notification_is_osc_9_and_no_text_can_end_its_sequence(subtests: pytest.Subtests) -> None:
    assert clipboard.notification("alpha failed", {}) == "\x1b]9;alpha failed\x07"
    assert clipboard.notification("x", {"TMUX": "socket,1,0"}) == "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\"
    for text in ("a\x07b", "a\x1b]0;evil\x07", "a\nb", "\x9c"):
        for sequence in (clipboard.notification(text, {}), clipboard.title(text)):
            with subtests.test(sequence=sequence):
                assert sequence.removeprefix("\x1b]").removesuffix("\x07").isprintable()


def test_the_clipboard_by_the_terminal_has_a_cap() -> None:
    sequence = clipboard.clipboard("bald ist Märchenzeit", {})
    assert sequence is not None
    coded = sequence.removeprefix("\x1b]52;c;").removesuffix("\x07")
    assert base64.b64decode(coded).decode() == "bald ist Märchenzeit"
    assert clipboard.clipboard("x" * (OSC52_BYTES * 3 // 4 - 2), {}) is not None
    assert clipboard.clipboard("x" * OSC52_BYTES, {}) is None
    in_tmux = clipboard.clipboard("x", {"TMUX": "1"})
    assert in_tmux == "\x1b]52;c;eA==\x07\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\"


def which_of(*names: str) -> clipboard.Which:
    return lambda name: f"/usr/bin/{name}" if name in names else None


def test_which_tool_reaches_this_persons_clipboard(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], tuple[str, ...], str, str | None]] = [
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, ("wl-copy", "xclip"), "linux", "wl-copy"),
        ({"DISPLAY": ":0"}, ("wl-copy", "xclip", "xsel"), "linux", "xclip"),
        ({"DISPLAY": ":0"}, ("xsel",), "linux", "xsel"),
        ({"DISPLAY": ":10", "SSH_CONNECTION": "a"}, ("xclip",), "linux", "xclip"),  # ssh -X
        ({}, ("wl-copy", "xclip", "pbcopy"), "linux", None),
        ({}, ("pbcopy",), "darwin", "pbcopy"),
        ({"SSH_CONNECTION": "a"}, ("pbcopy",), "darwin", None),
        ({"WSL_DISTRO_NAME": "Ubuntu"}, ("clip.exe",), "linux", "clip.exe"),
        ({"DISPLAY": ":0", "TEXTUAL_DRIVER": WEB_DRIVER}, ("xclip",), "linux", None),
    ]
    for environ, there, platform, first in cases:
        with subtests.test(environ=environ, there=there, platform=platform):
            found = clipboard.tools(environ, which_of(*there), platform)
            assert (found[0][0] if found else None) == first


def test_the_tool_comes_first_the_terminal_second_and_a_long_text_nowhere() -> None:
    written: list[str] = []
    environ = {"DISPLAY": ":0"}
    taken: list[tuple[str, bytes]] = []

    def run(command: Sequence[str], text: bytes) -> bool:
        taken.append((command[0], text))
        return command[0] == "xsel"

    assert clipboard.copy("hi", written.append, environ, which_of("xclip", "xsel"), run) == "copied by xsel"
    assert taken == [("xclip", b"hi"), ("xsel", b"hi")]
    assert written == []
    assert "OSC 52" in clipboard.copy("hi", written.append, {}, which_of())
    assert len(written) == 1
    assert "allow-passthrough" in clipboard.copy("hi", written.append, {"TMUX": "x"}, which_of())
    assert clipboard.copy("x" * 80_000, written.append, {}, which_of()) == ""


def test_a_real_tool_gets_the_text(tmp_path: Path) -> None:
    out = tmp_path / "clip"
    tool = [sys.executable, "-c", f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read())"]
    assert clipboard._run(tool, "Grüße".encode())
    assert out.read_bytes() == "Grüße".encode()
    assert not clipboard._run([str(tmp_path / "none")], b"")
    assert not clipboard._run([sys.executable, "-c", "raise SystemExit(3)"], b"")
