"""A trainer attached: whatever becomes of the window, training goes on and is none the slower."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished
from tests.fakes.left_terminal import colours, left_as_it_was, wait_left_as_it_was
from tests.fakes.terminal import CRASH, Terminal
from tests.fakes.training import Training, runs, wait_for
from tests.measure.processes import thread_seconds

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    """A trainer that trains as long as this file's tests last; its threads can be told apart from outside."""
    training = Training(tmp_path_factory.mktemp("attached"), module="tests.fakes.timed_trainer")
    try:
        training.start(env={"PYTHONPATH": str(ROOT)}).wait_records(IterationFinished)
        yield training
    finally:
        training.kill_all()


def attach(run: Training, windows: list[Terminal], **manner: object) -> Terminal:
    window = Terminal(run.folder, "attach", run.run, **manner)  # type: ignore[arg-type]
    windows.append(window)
    window.wait_screen("COLLECTING")
    return window


@pytest.mark.parametrize(
    "name",
    ["SIGTERM", "SIGKILL", *(pytest.param(name, marks=pytest.mark.slow) for name in ("SIGHUP", "SIGQUIT", "SIGSEGV"))],
)
def test_a_viewer_that_is_ended_leaves_terminal_and_training_alone(
    run: Training, windows: list[Terminal], name: str
) -> None:
    window = attach(run, windows)
    assert not left_as_it_was(window)
    window.viewer.send_signal(signal.Signals[name])
    wait_left_as_it_was(window)
    assert window.wait_end() == 128 + signal.Signals[name]
    run.check_continues()


@pytest.mark.parametrize(
    "controlling", [pytest.param(True, id="hang-up"), pytest.param(False, id="cut off", marks=pytest.mark.slow)]
)
def test_a_window_that_vanishes_costs_the_training_nothing(
    run: Training, windows: list[Terminal], controlling: bool
) -> None:
    window = attach(run, windows, controlling=controlling)
    viewer = window.viewer
    before, start = control_seconds(run), time.monotonic()
    window.close()
    wait_for(lambda: not runs(viewer), "the viewer's end")
    window.wait_end()
    run.check_continues()
    wait_for(lambda: time.monotonic() > start + 3.0, "some ticks of a clock that has a hundred a second")
    assert control_seconds(run) - before <= 0.01 * (time.monotonic() - start), "of the trainer's processor time"
    attach(run, windows)


@pytest.mark.parametrize("seconds", [1.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_a_viewer_that_was_stopped_soon_shows_the_state_of_now(
    run: Training, windows: list[Terminal], seconds: float
) -> None:
    """F30 as people meet it: Ctrl-Z, a laptop that sleeps, a terminal that is held."""
    window = attach(run, windows)
    window.viewer.suspend()
    old, end = steps_shown(window), time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > end, "the time to pass", seconds + 1)
    run.check_continues()
    now = run.iterations()[-1].timesteps
    assert old < now
    window.viewer.resume()
    wait_for(lambda: steps_shown(window) >= now, f"{now:,} steps on the screen")


def steps_shown(window: Terminal) -> int:
    """The largest number of the two lines of state; 0 while they are being drawn."""
    lines = "\n".join(window.screen.splitlines()[:2])
    return max((int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", lines)), default=0)


def control_seconds(run: Training) -> float:
    """Processor time of the trainer's thread that talks to viewers."""
    assert run.process is not None
    return thread_seconds(run.process.pid)["control socket"]


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "NO_COLOR": "1"},
        *(pytest.param(env, marks=pytest.mark.slow) for env in ({"TERM": "dumb"}, {"TERM": "linux"}, {"TERM": ""})),
    ],
    ids=lambda env: str(env),
)
def test_poor_terminals_show_the_cockpit(run: Training, windows: list[Terminal], env: dict[str, str]) -> None:
    window = attach(run, windows, columns=80, rows=24, env=env)
    window.type("123459")
    run.wait_more_iterations(1)
    if env.get("LC_ALL") == "C" or env.get("TERM") in ("dumb", "linux"):
        assert window.text.isascii()
    if "NO_COLOR" in env:
        assert not colours(window.raw)
    window.type("q")
    window.wait_screen("eep training")
    window.type("\r")
    assert window.wait_end() == 0
    assert CRASH not in window.text
    wait_left_as_it_was(window)


def test_without_a_terminal_there_are_plain_lines(run: Training) -> None:
    """What trains, what lists, and what would draw and says in one line that it cannot."""
    data = ("--data-dir", str(run.folder / "data"))
    for arguments, code in (
        (("ls", *data), 0), (("status", run.run, *data), 0), (("attach", run.run, *data), 2), (data, 2)
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "rltui", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
            env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}, cwd=ROOT, check=False,
        )  # fmt: skip
        written = done.stdout + done.stderr
        assert done.returncode == code, written
        assert written.isascii() and b"\x1b" not in written and b"Traceback" not in written
        assert code == 0 or written.count(b"\n") == 1
    assert "\x1b" not in run.output and "Traceback" not in run.output


def test_tiny_windows_are_borne(run: Training, windows: list[Terminal]) -> None:
    window = Terminal(run.folder, "attach", run.run, columns=1, rows=1)
    windows.append(window)
    wait_for(lambda: window.screen.strip(), "anything drawn")
    for size in ((19, 4), (59, 14)):
        run.wait_more_iterations(1)
        written = len(window.raw)
        window.resize(*size)
        wait_for(lambda written=written: len(window.raw) > written, "something drawn")
    run.wait_more_iterations(1)
    window.resize(120, 40)
    window.wait_screen("COLLECTING")
    window.process.terminate()
    assert window.wait_end() == 128 + signal.SIGTERM
    assert CRASH not in window.text
