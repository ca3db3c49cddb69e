"""A folder with profiles and runs, and the launcher's reader of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.launcher.catalog import CatalogReader
from tests.fakes import data_folder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rltui.profile.locate.shipped_folder", lambda: tmp_path / "none")
    data_folder.write_profiles(tmp_path)
    return DataDir(tmp_path / "data")


@pytest.fixture
def reader(data: DataDir) -> CatalogReader:
    return CatalogReader(data, ProfileChecker(lambda command: data_folder.check_child(list(command))))
