"""How much memory is free: from the system's own file, else from psutil."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from rltui.tui import dependencies


def test_it_agrees_with_psutil() -> None:
    free = dependencies.free_megabytes()
    assert free == pytest.approx(psutil.virtual_memory().available / 1e6, rel=0.2)  # others take and give meanwhile


def test_without_a_file_that_says_so_psutil_is_asked(
    subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[str] = ["", "MemTotal: 5 kB\n", "MemAvailable:\n", "MemAvailable: much kB\n", "é\n"]
    for text in cases:
        with subtests.test(text=text):
            file = tmp_path / "meminfo"
            file.write_text(text, encoding="utf-8")
            monkeypatch.setattr(dependencies, "MEMINFO", file)
            monkeypatch.setattr(dependencies, "_free_by_psutil", lambda: 7.0)
            assert dependencies.free_megabytes() == 7.0
            monkeypatch.setattr(dependencies, "MEMINFO", tmp_path / "none")
            assert dependencies.free_megabytes() == 7.0


def test_the_file_counts_in_units_of_1024_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:       24576000 kB\nMemAvailable:    1000000 kB\n")
    monkeypatch.setattr(dependencies, "MEMINFO", file)
    assert dependencies.free_megabytes() == 1024.0
