"""The real program leaves the terminal as it was, however it ends, and bears whatever terminals, slow lines and shells are or
send: cut pastes, stray answers, stale sizes.
"""

from __future__ import annotations

import contextlib
import random
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.fakes.garbled_keys import garbled
from tests.fakes.left_terminal import colours, left_as_it_was, wait_left_as_it_was
from tests.fakes.terminal import CRASH, Terminal
from tests.fakes.training import runs, wait_for

Open = Callable[..., Terminal]
Way = tuple[Callable[[Terminal], None], int]
BY_SIGNAL = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT")


def to_viewer(name: str) -> Way:
    number = signal.Signals[name]
    return lambda terminal: terminal.viewer.send_signal(number), 128 + number


def to_guardian(name: str) -> Way:
    number = signal.Signals[name]
    return lambda terminal: terminal.process.send_signal(number), 128 + number


WAYS: dict[str, Way] = {
    "q": (lambda terminal: terminal.type("q"), 0),
    **{f"{name} to the viewer": to_viewer(name) for name in (*BY_SIGNAL, "SIGKILL", "SIGSEGV")},
    **{f"{name} to what the shell sees": to_guardian(name) for name in BY_SIGNAL},
    "the guardian is killed": (to_guardian("SIGKILL")[0], -signal.SIGKILL),
}
FEW_WAYS = (  # each kind of end, and each signal once; q, SIGTERM and SIGKILL are in tests below and in test_terminal_and_training
    "SIGQUIT to the viewer", "SIGSEGV to the viewer", "SIGHUP to what the shell sees", "SIGINT to what the shell sees",
    "the guardian is killed",
)  # fmt: skip


@pytest.fixture
def window(tmp_path: Path, windows: list[Terminal]) -> Open:
    """Opens the launcher on a terminal of its own."""

    def opened(**manner: object) -> Terminal:
        terminal = Terminal(tmp_path, **manner)  # type: ignore[arg-type]
        windows.append(terminal)
        terminal.wait_screen("q Quit")
        return terminal

    return opened


@pytest.mark.parametrize(
    "ways",
    [FEW_WAYS, pytest.param(tuple(way for way in WAYS if way not in FEW_WAYS), marks=pytest.mark.slow)],
    ids=["few", "others"],
)
def test_the_terminal_is_left_as_it_was(ways: tuple[str, ...], window: Open, subtests: pytest.Subtests) -> None:
    for way in ways:
        with subtests.test(way):
            check_left_as_it_was(window(), *WAYS[way])


def check_left_as_it_was(terminal: Terminal, end: Callable[[Terminal], None], code: int) -> None:
    wait_for(lambda: not left_as_it_was(terminal), "the terminal's modes")
    viewer = terminal.viewer
    end(terminal)
    assert terminal.wait_end() == code
    wait_left_as_it_was(terminal)
    wait_for(lambda: not runs(viewer), "the viewer's end")
    if code > 128:
        words = f"ended by {signal.Signals(code - 128).name}; a running trainer goes on, come back with: rltui"
        terminal.wait_text(words)


def test_a_viewer_that_does_not_react_is_ended_all_the_same(window: Open) -> None:
    terminal = window()
    terminal.viewer.suspend()
    terminal.process.terminate()
    assert terminal.wait_end() == 128 + signal.SIGKILL
    wait_left_as_it_was(terminal)


@pytest.mark.parametrize("controlling", [True, False])
def test_a_terminal_that_vanishes_takes_both_with_it(controlling: bool, window: Open) -> None:
    terminal = window(controlling=controlling)
    viewer = terminal.viewer
    terminal.close()
    terminal.wait_end()
    wait_for(lambda: not runs(viewer), "the viewer's end")


@pytest.mark.parametrize(
    ("env", "size"),
    [
        ({"TERM": "dumb", "NO_COLOR": "1"}, (80, 24)),
        ({"TERM": ""}, (1, 1)),
        pytest.param({"TERM": "linux"}, (80, 24), marks=pytest.mark.slow),
        pytest.param(
            {"LC_ALL": "C"}, (80, 24), marks=pytest.mark.slow
        ),  # the cockpit's is in test_terminal_and_training
        pytest.param({"NO_COLOR": "1"}, (80, 24), marks=pytest.mark.slow),
    ],
    ids=lambda value: str(value),
)
def test_poor_terminals_are_borne(
    tmp_path: Path, env: dict[str, str], size: tuple[int, int], windows: list[Terminal]
) -> None:
    terminal = Terminal(tmp_path, columns=size[0], rows=size[1], env=env)
    windows.append(terminal)
    if size == (1, 1):
        wait_for(lambda: b"\x1b[1;1H" in terminal.raw, "a picture")
    else:
        terminal.wait_text("What to train")
    terminal.type("q")
    assert terminal.wait_end() == 0
    assert CRASH not in terminal.text
    if env.get("LC_ALL") == "C" or env.get("TERM") in ("dumb", "linux"):
        assert terminal.text.isascii()
        assert "|" in terminal.text
    if "NO_COLOR" in env:
        assert not colours(terminal.raw)


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_garbled_input_is_borne(window: Open, count: int) -> None:
    """A malformed key report, bytes that are no text, a paste without an end: the program lives and hears keys."""
    terminal = window(module="tests.fakes.unshakeable_viewer", columns=80, rows=24)
    terminal.type("\x1b[1;1:99u")
    for data in garbled(random.Random(7), count):
        terminal.type(data)
    terminal.type(b"\xff\xfe\x1b[200~lost")

    def heard() -> bool:
        """A second without input ends the paste; escape closes what is open; ctrl+c is answered."""
        terminal.forget()
        terminal.type("\x1b[27u\x1b[27u\x03")
        with contextlib.suppress(AssertionError):
            terminal.wait_text("Nothing was stopped", 2.0)
        return "Nothing was stopped" in terminal.text

    wait_for(heard, "an answer to ctrl+c")
    terminal.process.terminate()
    assert terminal.wait_end() == 128 + signal.SIGTERM
    wait_left_as_it_was(terminal)


def test_stopped_and_continued_and_resized_it_draws_again_and_ends_clean(window: Open) -> None:
    """Then a storm of resizes: each is sent once the one before has been seen; the last picture is of the last size."""
    terminal = window()
    terminal.wait_screen("profile valid")  # by now each thread that stays has begun
    viewer = terminal.viewer
    viewer.suspend()
    wait_for(lambda: viewer.status() == psutil.STATUS_STOPPED, "the stop")
    terminal.forget()
    threads = viewer.num_threads()
    viewer.resume()
    terminal.wait_text("Profiles")
    wait_for(lambda: viewer.num_threads() <= threads, "no more threads than before")
    chance = random.Random(5)
    for _ in range(30):
        written = len(terminal.raw)
        terminal.resize(chance.randint(1, 500), chance.randint(1, 200))
        wait_for(lambda written=written: len(terminal.raw) > written, "something drawn")
    terminal.forget()
    terminal.resize(100, 30)
    terminal.wait_text("Palette")
    terminal.type("q")
    assert terminal.wait_end() == 0
    wait_left_as_it_was(terminal)


def test_a_failing_interface_ends_with_1_and_says_that_training_goes_on(window: Open) -> None:
    terminal = window(module="tests.fakes.failing_viewer")
    terminal.type("?")
    assert terminal.wait_end() == 1
    terminal.wait_text("nobody foresaw this")
    terminal.wait_text("the interface failed; a running trainer goes on")
    wait_left_as_it_was(terminal)


def test_a_size_that_the_shell_exports_is_not_believed(window: Open) -> None:
    """COLUMNS and LINES of long ago, or of another machine."""
    terminal = window(columns=80, rows=24, env={"COLUMNS": "5000", "LINES": "3000"})
    wait_for(lambda: "q Quit" in terminal.screen.split("\n")[23], "a footer in the last row")
    terminal.resize(110, 30)
    wait_for(lambda: "q Quit" in terminal.screen.split("\n")[29], "a footer in the last row")
    terminal.type("q")
    assert terminal.wait_end() == 0


def test_a_paste_cut_in_two_and_answers_to_nobody_are_no_keys(window: Open) -> None:
    terminal = window(columns=100, rows=30)
    terminal.type(
        "\x1b]11;rgb:bbbb/bbbb/bbbb\x07\x1bP1$rq\x1b\\\x1b]4;1;rgb:q/q/q\x1b\\"
    )  # b opens the browser, q leaves
    terminal.type("/")
    wait_for(lambda: "a regular expression; !" in terminal.screen, "the filter")
    terminal.type("\x1b[200~ab")
    terminal.type("cd\x1b[20")
    seen = len(terminal.raw)
    terminal.resize(101, 30)  # what is drawn for it comes after a pause in the input, or before: neither may matter
    wait_for(lambda: len(terminal.raw) > seen, "something drawn")
    terminal.type("1~\x1b[120;1;120u\x1b[120;1:3u")
    terminal.wait_screen("abcdx")
    assert "Milestones and checkpoints" not in terminal.text


def test_a_paste_of_a_megabyte_is_cut_and_holds_nothing_up(window: Open) -> None:
    terminal = window(columns=120, rows=40)
    terminal.type("/")
    wait_for(lambda: "a regular expression; !" in terminal.screen, "the filter")
    terminal.type("\x1b[200~" + "é" * 500_000 + "\x1b[201~")
    terminal.wait_screen("500,000")
    terminal.type("\x1b")
    wait_for(lambda: "éé" not in terminal.screen, "an empty filter")
    terminal.type("q")
    assert terminal.wait_end() == 0
