"""Results of comparing hashes, and which entries lie under which node of the tree."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from rltui.runs.checkpoint import damage
from rltui.runs.paths import DataDir
from rltui.tui.browser.library import HashChecks
from tests.fakes.saved_runs import make_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_run(DataDir(tmp_path / "data")).checkpoint(1000)


def test_a_result_counts_until_something_changes(folder: Path) -> None:
    checks = HashChecks()
    assert checks.result(folder) is None
    checks.check(folder)
    assert checks.result(folder) == ""
    content = (folder / "policy.npz").read_bytes()
    (folder / "policy.npz").write_bytes(bytes([content[0] ^ 1]) + content[1:])
    checks.check(folder)
    assert "policy.npz is damaged" in (checks.result(folder) or "")
    os.utime(folder / "manifest.sha256", ns=(1, 1))
    assert checks.result(folder) is None


def test_of_what_is_pruned_while_it_is_read_nothing_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pruned(path: Path, thorough: bool) -> str | None:
        shutil.rmtree(path)
        return damage(path, thorough)

    monkeypatch.setattr("rltui.tui.browser.library.damage", pruned)
    checks = HashChecks()
    checks.check(folder)
    assert checks.result(folder) is None
