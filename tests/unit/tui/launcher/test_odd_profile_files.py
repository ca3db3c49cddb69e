"""Whatever lies in the folder of profiles is listed and judged; nothing of it is waited for, or spoils the others."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from rltui.profile.locate import ProfileFile, shipped_folder
from rltui.runs.paths import DataDir
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.launcher.catalog import CatalogReader


@pytest.mark.skipif(sys.platform != "linux", reason="pipes, and file names that are no text")
def test_pipes_loops_giants_and_names_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "profiles"
    folder.mkdir()
    shutil.copy(shipped_folder() / "quick.toml", folder)
    os.mkfifo(folder / "pipe.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "folder.toml").mkdir()
    (folder / "giant.toml").write_bytes(b"#" * 10_000_000)
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00s")
    (folder / os.fsdecode(b"\xff\xfe.toml")).write_text("schema = 1\n", encoding="utf-8")
    monkeypatch.setattr("rltui.tui.launcher.catalog.list_profiles", lambda: _own(folder))
    reader = CatalogReader(DataDir(tmp_path / "data"), ProfileChecker())
    catalog = reader.check(reader.read())
    problems = {
        entry.name: [problem.message for problem in entry.check.errors] for entry in catalog.profiles if entry.check
    }
    assert problems.pop("quick") == []
    assert problems.pop("pipe") == ["is not a regular file"]
    assert problems.pop("folder") == ["is a folder"]
    assert problems.pop("giant") == ["is too large"]
    assert problems.pop("loop") == ["cannot be read: Too many levels of symbolic links"]
    assert set(problems) == {"binary", os.fsdecode(b"\xff\xfe")}
    assert all(problems.values())


def _own(folder: Path) -> list[ProfileFile]:
    return [ProfileFile(path.stem, path, False) for path in sorted(folder.iterdir())]
