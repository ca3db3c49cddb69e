"""Notifications, title, clipboard and the hook: what is written to the terminal, what is run, and that nothing waits."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from rltui.tui.notifications import Hooks, Notice, payload
from rltui.tui.terminal import clipboard
from rltui.tui.terminal.clipboard import OSC52_BYTES

NOTICE = Notice("milestone", "alpha", "alpha: milestone 015M", "15,000,000 timesteps", 1_764_000_000.5, 15_000_000)


def test_a_desktop_notification_is_osc_9_and_tmux_passes_it_through() -> None:
    assert clipboard.notification("alpha failed", {}) == "\x1b]9;alpha failed\x07"
    assert clipboard.notification("x", {"TMUX": "socket,1,0"}) == "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\"


@pytest.mark.parametrize("text", ["a\x07b", "a\x1b]0;evil\x07", "a\nb", "\x9c"])
def test_text_cannot_end_the_sequence_it_stands_in(text: str) -> None:
    for sequence in (clipboard.notification(text, {}), clipboard.title(text)):
        inside = sequence.removeprefix("\x1b]").removesuffix("\x07")
        assert inside.isprintable()


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


@pytest.mark.parametrize(
    ("environ", "there", "platform", "first"),
    [
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, ("wl-copy", "xclip"), "linux", "wl-copy"),
        ({"DISPLAY": ":0"}, ("wl-copy", "xclip", "xsel"), "linux", "xclip"),
        ({"DISPLAY": ":0"}, ("xsel",), "linux", "xsel"),
        ({"DISPLAY": ":10", "SSH_CONNECTION": "a"}, ("xclip",), "linux", "xclip"),  # ssh -X
        ({}, ("wl-copy", "xclip", "pbcopy"), "linux", None),
        ({}, ("pbcopy",), "darwin", "pbcopy"),
        ({"SSH_CONNECTION": "a"}, ("pbcopy",), "darwin", None),
        ({"WSL_DISTRO_NAME": "Ubuntu"}, ("clip.exe",), "linux", "clip.exe"),
    ],
)
def test_which_tool_reaches_this_persons_clipboard(
    environ: dict[str, str], there: Sequence[str], platform: str, first: str | None
) -> None:
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


class Told:
    """What the hook is said to have done wrong."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.came = threading.Event()

    def __call__(self, words: str) -> None:
        self.words.append(words)
        self.came.set()


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "hook":
            thread.join(10)
            assert not thread.is_alive()


def test_the_hook_gets_the_event_as_json_and_in_its_environment(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = (
        "import json, os, sys; event = json.load(sys.stdin); "
        f"open({str(out)!r}, 'w').write(json.dumps([event, os.environ['RLTUI_EVENT'], os.environ['RLTUI_TEXT']]))"
    )
    told = Told()
    Hooks(python(code), 10, told).run(NOTICE)
    wait_for_threads()
    event, kind, text = json.loads(out.read_text())
    assert event == {
        "event": "milestone", "run": "alpha", "title": "alpha: milestone 015M", "text": "15,000,000 timesteps",
        "time": 1_764_000_000.5, "timesteps": 15_000_000, "severity": "information",
    }  # fmt: skip
    assert (kind, text) == ("milestone", "15,000,000 timesteps")
    assert told.words == []
    assert json.loads(payload(NOTICE)) == event


def test_no_shell_reads_the_hook(tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = Told()
    code = f"import sys; open({str(out)!r}, 'w').write(sys.argv[1])"
    Hooks([*python(code), "$(echo evil); *"], 10, told).run(NOTICE)
    wait_for_threads()
    assert out.read_text() == "$(echo evil); *"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/no/such/command"], "there is no such command; ui.toml names it in notify.hook"),
        ([__file__], "it may not be run: make it executable"),
        (python("import sys; sys.exit('the bell is broken')"), "exit code 1: the bell is broken"),
    ],
)
def test_a_hook_that_fails_is_told(command: list[str], words: str) -> None:
    told = Told()
    Hooks(command, 10, told).run(NOTICE)
    assert told.came.wait(10)
    assert words in told.words[0]
    assert "(milestone)" in told.words[0]


def test_a_hook_that_hangs_is_ended_and_too_many_are_not_started() -> None:
    told = Told()
    hooks = Hooks(python("import threading; threading.Event().wait()"), 0.3, told)
    for _ in range(5):
        hooks.run(NOTICE)  # returns at once
    assert "4 of them still run" in told.words[0]
    wait_for_threads()
    assert sum("not done after 0.3 s" in words for words in told.words) == 4


def test_no_hook_is_nothing() -> None:
    told = Told()
    Hooks((), 1, told).run(NOTICE)
    assert not any(thread.name == "hook" for thread in threading.enumerate())
    assert told.words == []
