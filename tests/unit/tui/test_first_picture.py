"""How little is imported until the first picture: what it does not need makes whoever starts the program wait."""

from __future__ import annotations

import ast
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from rltui.tui import app, background, navigation
from rltui.tui.cockpit.screen import PANES
from rltui.tui.launcher import screen
from rltui.tui.settings import PANE_IDS
from tests.fakes.patience import patience

JOURNALS = Path(__file__).parents[2] / "golden" / "journals"
NEVER = (
    "torch", "numpy", "RocketSim", "rlgym", "pydantic", "tomlkit", "psutil", "pygments", "rich.markdown", "rich.syntax",
    "rich.progress", "textual.widgets._text_area", "textual.widgets._markdown", "textual.widgets._data_table",
    "rltui.tui.browser.screen", "rltui.tui.form.screen", "rltui.tui.form.session", "rltui.profile.models",
)  # fmt: skip


def imported(*arguments: str) -> set[str]:
    """In a fresh interpreter, until the words are on the screen."""
    command = [sys.executable, "-m", "tests.fakes.first_look", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience(60))
    return set(done.stdout.split())


def test_the_launcher_waits_for_no_pane_and_no_other_screen(tmp_path: Path) -> None:
    found = imported(str(tmp_path), "Profiles")
    assert "rltui.tui.launcher.screen" in found
    others = {
        "rltui.tui.cockpit.screen",
        "rltui.run_state.snapshot",
        "rltui.run_state.reader",
        "rltui.tui.widgets.chart",
    }
    assert found & {*NEVER, *others, *(pane.__module__ for pane in PANES)} == set()


def test_the_cockpit_does_not_wait_for_the_launcher(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    shutil.copy(JOURNALS / "quick.jsonl", paths.journal)
    found = imported(str(tmp_path), "Rewards", "alpha")
    assert "rltui.tui.cockpit.screen" in found
    assert (
        found & {*NEVER, "rltui.tui.launcher.screen", "rltui.tui.launcher.plan", "rltui.tui.launcher.catalog"} == set()
    )


def test_the_names_of_the_panes_are_known_without_importing_them() -> None:
    assert tuple(pane.pane_id() for pane in PANES) == PANE_IDS


def test_whatever_is_imported_by_a_key_is_imported_before_it() -> None:
    """Of the launcher's and the program's own modules: each import that stands in a method."""
    waiting = {
        node.module
        for module in (app, navigation, screen)
        for owner in ast.parse(inspect.getsource(module)).body
        if isinstance(owner, ast.ClassDef)
        for function in owner.body
        if isinstance(function, ast.FunctionDef)
        for node in function.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("rltui.tui.", "rltui.run_state."))
    }
    assert len(waiting) >= len(background.DEFERRED) - 1
    words = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nfrom rltui.tui import background\nbackground.is_busy = bool\nbackground.import_deferred()\nprint(*sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert waiting | set(background.DEFERRED) <= set(words.stdout.split())


def test_the_rest_is_imported_in_a_quiet_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("importlib.import_module", asked.append)
    monkeypatch.setattr(background, "is_busy", lambda: len(asked) == 2)
    background.import_deferred()
    assert asked == list(background.DEFERRED[:2])
