"""`rltui watch` on a terminal: painted, obeying keys, and the terminal is as it was however it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.view.recording import Recording
from tests.fakes.left_terminal import wait_left_as_it_was
from tests.fakes.rocketsimvis import Listener, accepted
from tests.fakes.terminal import Terminal
from tests.fakes.training import runs, wait_for

Watching = Callable[..., Terminal]


@pytest.fixture
def watching(tmp_path: Path, windows: list[Terminal]) -> Watching:
    """Starts `rltui watch`, waits until a match is seen."""

    def start(*arguments: str, shows: str = "touches 0", **options: object) -> Terminal:
        terminal = Terminal(tmp_path, "watch", *arguments, columns=100, rows=30, **options)  # type: ignore[arg-type]
        windows.append(terminal)
        terminal.wait_text(shows)
        return terminal

    return start


def test_painted_and_obeying_keys_until_q_and_then_the_outcome(watching: Watching) -> None:
    """v switches RocketSimVis on and off, space pauses and goes on."""
    listener = Listener()
    terminal = watching("chaser", "idle", "--port", str(listener.port))
    for sign in ("●", "┊"):
        terminal.wait_text(sign)
    wait_for(lambda: b"\x1b[1;38;5;39m" in terminal.raw, "a car in its colour")
    terminal.wait_text("RocketSimVis off")
    terminal.type("v")
    for _ in range(10):
        accepted(listener.receive())
    terminal.wait_text(f"RocketSimVis 127.0.0.1:{listener.port} ")
    terminal.forget()
    terminal.type("v")
    terminal.wait_text("RocketSimVis off")
    listener.close()
    terminal.type(" ")
    terminal.wait_text("paused")
    terminal.forget()
    terminal.type(" ")
    terminal.wait_text("q quit")
    terminal.type("q")
    assert terminal.wait_end() == 0
    terminal.wait_text("at the end")
    wait_left_as_it_was(terminal)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda terminal: terminal.type("\x03"), 0),
        pytest.param(lambda terminal: terminal.viewer.send_signal(signal.SIGTERM), 0, marks=pytest.mark.slow),
        (lambda terminal: terminal.viewer.kill(), 128 + signal.SIGKILL),
    ],
    ids=["Ctrl-C", "SIGTERM to what draws", "SIGKILL to what draws"],
)
def test_the_terminal_is_as_it_was_however_it_ends(
    end: Callable[[Terminal], None], code: int, watching: Watching
) -> None:
    terminal = watching("chaser", "idle")
    end(terminal)
    assert terminal.wait_end() == code
    wait_left_as_it_was(terminal)


def test_what_draws_ends_with_its_guardian(watching: Watching) -> None:
    terminal = watching("chaser", "idle")
    viewer = terminal.viewer
    terminal.process.kill()
    wait_for(lambda: not runs(viewer), "the end of what draws")
    wait_left_as_it_was(terminal)


@pytest.mark.parametrize(
    ("keys", "controlling"),
    [("", True), (" ", False), *(pytest.param(*rest, marks=pytest.mark.slow) for rest in (("", False), (" ", True)))],
)
def test_a_terminal_that_vanishes_takes_it_along(keys: str, controlling: bool, watching: Watching) -> None:
    terminal = watching("chaser", "idle", controlling=controlling)
    terminal.type(keys)
    viewer = terminal.viewer
    terminal.close()
    wait_for(lambda: not runs(viewer) and terminal.process.poll() is not None, "the end of both")


def test_a_recording_is_written_when_it_is_ended_by_sigterm(watching: Watching, tmp_path: Path) -> None:
    terminal = watching("chaser", "idle", "--record", "match.npz")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.wait_end() == 0
    wait_left_as_it_was(terminal)
    assert len(Recording(tmp_path / "match.npz")) > 1


def test_a_terminal_of_little_means(watching: Watching) -> None:
    terminal = watching("chaser", "idle", "--ascii", env={"NO_COLOR": "1", "TERM": "linux"})
    assert terminal.raw.isascii() and b"38;5" not in terminal.raw
    terminal.resize(10, 4)
    terminal.resize(1, 1)
    terminal.resize(120, 40)
    terminal.forget()
    terminal.wait_text("chaser 0 : 0 idle")
    terminal.type("q")
    assert terminal.wait_end() == 0


def test_a_dumb_terminal_gets_plain_lines(watching: Watching) -> None:
    terminal = watching("chaser", "idle", "--seconds", "1", shows="at the end", env={"TERM": "dumb"})
    assert terminal.wait_end() == 0 and b"\x1b" not in terminal.raw
