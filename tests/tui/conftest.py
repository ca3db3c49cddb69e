"""Apps on fake runs at fixed sizes and a fixed moment, in UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.app import RltuiApp
from tests.fakes import data_folder, sent_screen, settled

_rules: dict[object, list[RuleSet]] = {}  # by their source and the variables in it


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day are shown in the local zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def unsent() -> Iterator[None]:
    """Of what is sent to a terminal, tests/fakes/sent_screen.followed tells."""
    with sent_screen.unsent():
        yield


@pytest.fixture(autouse=True)
def looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot sees whether widgets are at work, and neither sends them anything nor sleeps to find out."""
    monkeypatch.setattr(Pilot, "_wait_for_screen", settled.wait_for_screen)
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", settled.idle)


@pytest.fixture(autouse=True)
def parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each app reads the same styles."""
    parse = Stylesheet._parse_rules

    def parsed(sheet: Stylesheet, css: str, **source: object) -> list[RuleSet]:
        key = (css, *source.values(), *sheet._variables.items())
        if key not in _rules:
            _rules[key] = parse(sheet, css, **source)  # type: ignore[arg-type]
        return _rules[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parsed)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the program keeps of its looks is written to the test's folder, never to the user's."""
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    """An empty data folder and three profiles, in a working directory of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rltui.profile.locate.shipped_folder", lambda: tmp_path / "none")
    monkeypatch.setattr("rltui.runs.inventory.free_bytes", lambda root: 212_000_000_000)
    monkeypatch.setattr("rltui.tui.browser.library.free_bytes", lambda root: 212_000_000_000)
    data_folder.write_profiles(tmp_path)
    return DataDir(Path("data"))


@pytest.fixture
def acted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    """What bindings have run. The program cannot be left."""
    found: list[tuple[str, object]] = []
    run_action = App.run_action

    async def noted(app: App[Any], action: Any, default_namespace: Any = None, namespaces: Any = None) -> bool:
        found.append((str(action), default_namespace))
        return await run_action(app, action, default_namespace, namespaces)

    monkeypatch.setattr(App, "run_action", noted)
    monkeypatch.setattr(RltuiApp, "exit", lambda *_, **__: None)
    return found
