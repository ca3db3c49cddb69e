"""Apps on fake runs at fixed sizes and a fixed moment, in UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from tests.fakes import data_folder


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day are shown in the local zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    """An empty data folder and three profiles, in a working directory of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rltui.profile.locate.shipped_folder", lambda: tmp_path / "none")
    monkeypatch.setattr("rltui.runs.glance.free_bytes", lambda root: 212_000_000_000)
    monkeypatch.setattr("rltui.runs.resume_plan.default_run_name", lambda profile: f"{profile}-20251127-133000")
    data_folder.write_profiles(tmp_path)
    return DataDir(Path("data"))
