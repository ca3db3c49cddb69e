"""A person from an empty folder to a promoted bot, at a pseudo-terminal and under tmux. Nothing is known but the screen
and what is on disk; everything waited for is a condition."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from rltui import formatting
from rltui.events.records import (
    CheckpointSaved,
    IterationFinished,
    LogLine,
    PhaseChanged,
    Record,
    RunFinished,
    RunStarted,
    SettingChanged,
)
from rltui.run_state.condition import SHORT
from rltui.runs.inventory import complete_checkpoints, read_marks
from rltui.runs.journal import JournalTail
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.phases import phase, small
from tests.fakes.rocketsimvis import Listener, accepted
from tests.fakes.terminal import CRASH, Terminal
from tests.fakes.tmux import INSTALLED, TmuxWindow
from tests.fakes.training import wait_for

T = TypeVar("T")
Window = Terminal | TmuxWindow
ESCAPE, HOME = "\x1b[27u", "\x1b[H"
BEGINNER = "A first bot in minutes on two cores"  # the shipped profile quick, by its description
# key: flag, words of its effect, who must say them (None: the trainer, whose affair it is)
FLAGS: dict[str, tuple[str, str, set[int | None]]] = {
    "A": ("debug_actions", "controls are throttle, steer", {0, 1}),
    "L": ("debug_learning", "train/entropy = ", {None}),
}

CAMPAIGN = {
    "a-campaign": """\
schema = 1
description = "Two phases for a person."
[curriculum]
phases = [{profile = "b-first", until = {goals_per_minute = 1000}}, {profile = "b-second"}]
"""
    + small(),
    "b-first": phase("One", 1, "touch = 1.0"),
    "b-second": phase("Two", 2, "goal = 1.0"),
}


class Run:
    """The one run of the folder, by its journal."""

    def __init__(self, folder: Path) -> None:
        data = DataDir(folder / "data")
        self.paths: RunPaths = data.run(wait_for(lambda: next(iter(data.run_names()), None), "a run"))
        self._tail, self._records = JournalTail(self.paths.journal), list[Record]()

    def all(self, kind: type[T]) -> list[T]:
        self._records += self._tail.rest()
        return [record for record in self._records if isinstance(record, kind)]

    def wait_iterations(self, count: int, what: str) -> None:
        """So many more."""
        seen = len(self.all(IterationFinished))
        wait_for(lambda: len(self.all(IterationFinished)) >= seen + count, what)

    def wait(self, kind: type[T], fits: Callable[[T], bool], what: str) -> T:
        return wait_for(lambda: next((record for record in self.all(kind) if fits(record)), None), what)

    def said(self, flag: str, words: str) -> set[int | None]:
        """Who has said so for this flag."""
        lines = (line for line in self.all(LogLine) if line.flag == flag and words in line.message)
        return {line.worker for line in lines}

    def milestones(self) -> list[CheckpointSaved]:
        return [record for record in self.all(CheckpointSaved) if record.kind == "milestone"]

    def workers(self) -> set[int | None]:
        return set(range(self.all(RunStarted)[-1].workers))


def launch(window: Window, description: str) -> None:
    """Launch what is highlighted, once it is the profile with this description."""
    window.wait_screen(description)
    window.wait_screen("profile valid")
    window.type("\r")


def toggle(window: Window, run: Run, key: str) -> None:
    """Switch a flag on, see what it does from whom it must come, switch it off."""
    flag, words, speakers = FLAGS[key]
    window.type(key)
    wait_for(lambda: _shown_as_on(window, flag), f"{flag} in the status line")
    window.wait_screen(f"[{flag}]")  # a line of its own in the log
    expected = speakers if None in speakers else run.workers()
    wait_for(lambda: run.said(flag, words) == expected, f"{words!r} of {flag} from {expected}")
    window.type(key)
    wait_for(lambda: not _shown_as_on(window, flag), f"{flag} gone from the status line")


def promote_a_milestone(window: Window, run: Run) -> None:
    """Keep one while training is held, and release it in the browser; then back, and on."""
    window.type("P")
    window.wait_screen("PAUSED")
    before = len(run.milestones())
    window.type("M")
    saved = wait_for(lambda: run.milestones()[before:], "the milestone")[0]
    window.type("b")
    window.wait_screen("Milestones and checkpoints")
    window.wait_screen(f"milestone {formatting.exact(saved.timesteps)}")
    window.type(HOME)  # the list may have been read before it was saved
    wait_for(lambda: re.search("─ milestone .* of ", window.screen), "the milestone's details")
    window.type("e")
    window.wait_screen("Release (●)")
    window.type("r")
    window.wait_screen("● released")
    assert [mark.released for mark in read_marks(run.paths).values()] == [True]
    window.type(ESCAPE)
    window.wait_screen("PAUSED")
    window.type("P")
    window.wait_screen("COLLECTING")


def _shown_as_on(window: Window, flag: str) -> bool:
    """By the line at the top, which says what the trainer says."""
    return f"debug {SHORT[flag]}" in window.screen.partition("\n")[0]


def change_rate(window: Window, run: Run) -> None:
    """By the command line; applied means by the trainer, and the figure on the screen is the trainer's."""
    window.type(":")
    window.wait_screen("lr")
    window.type("lr 1e-4\r")
    run.wait(SettingChanged, lambda record: (record.setting, record.value) == ("learning rate", 1e-4), "the new rate")
    window.wait_screen("0.0001 instead of 0.001")
    run.wait(IterationFinished, lambda row: row.metrics.get("train/learning_rate") == 1e-4, "an update with it")


def show_in_rocketsimvis(window: Window) -> None:
    """Every packet is one that the real visualiser reads; then it is switched off again."""
    listener = Listener(9273)
    try:
        window.type("V")
        seen = [accepted(listener.receive()) for _ in range(30)]
        assert all(len(content["cars"]) == 2 for content in seen)
        bodies = {str((content["ball_phys"], content["cars"])) for content in seen}
        assert len(bodies) > 25, "the match goes on, also while a new bot leaves the ball alone"
        window.type("V")
        window.wait_screen("render off")
    finally:
        listener.close()


def test_from_an_empty_folder_to_the_end(folder: Path, windows: list[Window]) -> None:
    first = Terminal(folder, columns=200, rows=50)
    windows.append(first)
    launch(first, BEGINNER)
    run = Run(folder)
    first.wait_screen("COLLECTING")
    first.type("9f")
    for key in "AL":  # a worker's affair and the trainer's: the others' effects are in processes/test_live_changes
        toggle(first, run, key)
    first.type(ESCAPE)
    change_rate(first, run)
    show_in_rocketsimvis(first)

    first.type("q")
    first.wait_screen("eep training")
    first.type("\r")
    assert first.wait_end() == 0
    first.wait_text(f"rltui attach {run.paths.name}")
    run.wait_iterations(1, "training without a terminal")

    second = Terminal(folder, "attach", columns=120, rows=40)
    windows.append(second)
    second.wait_screen("COLLECTING")
    second.wait_screen("you control")
    promote_a_milestone(second, run)
    second.viewer.kill()
    assert second.wait_end() == 128 + signal.SIGKILL
    second.wait_text(f"a running trainer goes on, come back with: rltui attach {run.paths.name}")
    run.wait_iterations(1, "training to go on")

    third = Terminal(folder, "attach", run.paths.name, columns=120, rows=40)
    windows.append(third)
    third.wait_screen("COLLECTING")
    trainer = psutil.Process(run.all(RunStarted)[-1].pid)
    third.type("S")
    end = run.wait(RunFinished, lambda record: True, "the end")
    assert end.exit_code == 0
    third.wait_screen("STOPPED")
    third.type("q")
    assert third.wait_end() == 0
    assert CRASH not in first.text + second.text + third.text
    wait_for(lambda: not trainer.is_running(), "the trainer's end")
    assert complete_checkpoints(run.paths)[-1].timesteps == end.timesteps
    iterations = [row.iteration for row in run.all(IterationFinished)]
    assert iterations == list(range(1, len(iterations) + 1)), "one history without a gap"


@pytest.mark.slow
@pytest.mark.parametrize("controlling", [True, False])
def test_closing_the_window_ends_the_interface_and_leaves_the_trainer_running(
    folder: Path, windows: list[Window], controlling: bool
) -> None:
    window = Terminal(folder, controlling=controlling)
    windows.append(window)
    launch(window, BEGINNER)
    run = Run(folder)
    run.wait(IterationFinished, lambda record: True, "an iteration")
    window.close()
    wait_for(lambda: window.process.poll() is not None, "the interface's end", 4.0)
    run.wait_iterations(3, "training to go on")


@pytest.mark.slow
def test_on_to_the_next_phase_by_hand(folder: Path, windows: list[Window]) -> None:
    """N asks first; then the header says the phase that the trainer has begun."""
    profiles = folder / "profiles"
    profiles.mkdir()
    for name, text in CAMPAIGN.items():
        (profiles / f"{name}.toml").write_text(text, encoding="utf-8")
    window = Terminal(folder, columns=200, rows=50)
    windows.append(window)
    window.wait_screen(BEGINNER)
    window.type("/")
    window.wait_screen("a regular expression; !")
    window.type("a-camp")
    wait_for(lambda: "seed-task" not in window.screen, "only what fits")
    window.type("\rk")
    launch(window, "Two phases for a person")
    run = Run(folder)
    window.wait_screen("Phase 1 One")
    run.wait(IterationFinished, lambda record: True, "an iteration")
    window.type("N")
    window.wait_screen("Go on to the next phase")
    window.type("n")
    changed = run.wait(PhaseChanged, lambda record: True, "the second phase")
    assert changed.reason.startswith("asked for by")
    window.wait_screen("Phase 2 Two")
    window.type("q")
    window.wait_screen("eep training")
    window.type("s")
    assert window.wait_end() == 0
    assert run.all(RunFinished)[-1].exit_code == 0


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="tmux is not installed here")
def test_the_same_in_a_window_of_tmux(folder: Path, windows: list[Window]) -> None:
    window = TmuxWindow(folder)
    windows.append(window)
    launch(window, BEGINNER)
    run = Run(folder)
    window.wait_screen("COLLECTING")
    toggle(window, run, "A")
    change_rate(window, run)
    window.resize(80, 24)
    window.wait_screen("Metrics")
    window.resize(120, 40)
    window.wait_screen("Workers")
    window.type("q")
    window.wait_screen("eep training")
    window.type("\r")
    window.wait_screen("code 0.")
    window.run("clear")
    window.run(*_program("attach"))
    window.wait_screen("COLLECTING")
    window.type("S")
    assert run.wait(RunFinished, lambda record: True, "the end").exit_code == 0
    window.wait_screen("STOPPED")
    window.type("q")
    window.wait_screen("code 0.")


def _program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rltui", *arguments]
