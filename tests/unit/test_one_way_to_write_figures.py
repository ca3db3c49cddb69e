"""Sizes, times and milestones are written by `rltui.formatting` alone: in the source, and in every picture of the screen."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rltui

ROOT = Path(rltui.__file__).parent
SOURCES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "formatting.py")
PICTURES = sorted((Path(__file__).parents[1] / "golden").rglob("*.txt"))
UNITS = re.compile(r" ?(ms|s|min|h|d|B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)\b(?![/²])")  # uu/s and the like are no times
PRECISE = re.compile(r"[.,]?\d*[fde,]")  # a format with its own idea of digits; :g writes a setting as it was written
BINARY = re.compile(r"\b[KMGT]iB\b")


def own_figures(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each value that an f-string formats by itself before a unit of time or size."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                continue
            form = ast.unparse(value.format_spec)[2:-1] if value.format_spec else ""
            if PRECISE.fullmatch(form) and UNITS.match(str(after.value)):
                yield node.lineno, ast.unparse(node)


def test_what_counts_as_an_own_figure(subtests: pytest.Subtests) -> None:
    for source, found in (
        ('f"{size / 1e9:.1f} GB free"', 1), ('f"{took:.2f} s"', 1), ('f"{count:,} MB"', 1), ('f"{seconds:.0f} s"', 1),
        ('f"{limit:g} s"', 0), ('f"{speed:.0f} uu/s"', 0), ('f"{rate:,.0f} steps/s"', 0), ('f"{figures.size(free)} free"', 0),
        ('f"{number:,} steps"', 0), ('f"{number:,} saved"', 0),
    ):  # fmt: skip
        with subtests.test(source):
            assert len(list(own_figures(source))) == found


def test_no_module_has_its_own_way() -> None:
    """rltui.formatting has size, duration, age, remaining; sizes are in units of 1,000."""
    sources = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    assert sources
    assert [f"{path}:{line}: {text}" for path, source in sources.items() for line, text in own_figures(source)] == []
    assert [f"{path}: {unit}" for path, source in sources.items() for unit in BINARY.findall(source)] == []


def test_no_picture_shows_another_spelling() -> None:
    """A milestone is written as 5 M; 005M is its folder."""
    pictures = {path: path.read_text(encoding="utf-8") for path in PICTURES}
    assert pictures
    assert [f"{path}: {found}" for path, text in pictures.items() for found in OTHER_SPELLINGS.findall(text)] == []


OTHER_SPELLINGS = re.compile(
    r"\b\d+ m \d\d s\b|\b\d+ h \d\d m\b|\b(?:in|after|within|about) +\d+\.\d\d s\b"
    r"|\b[KMGT]iB\b|milestone \d{3}[\d.]*M +(?:saved|[━╸─=-]{3})"
)
