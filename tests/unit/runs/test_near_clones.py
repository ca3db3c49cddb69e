"""The file of near-clones, and who of some states is one of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.runs.near_clones import clones_of, like_words, read_near_clones, write_near_clones
from rltui.runs.paths import DataDir


def test_it_is_read_as_it_was_written_and_one_that_cannot_be_read_is_none(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    paths = DataDir(tmp_path).run("alpha")
    assert read_near_clones(paths) == {}
    paths.folder.mkdir(parents=True)
    found = {5: {}, 10: {5: 0.03}}
    write_near_clones(paths, found)
    assert read_near_clones(paths) == found
    for content in (b"", b"[1]", b'{"5": {"x": 1}}', b"[" * 9999, b"\xff"):
        with subtests.test(content=content[:9]):
            paths.near_clones.write_bytes(content)
            assert read_near_clones(paths) == {}


def test_near_clones_are_so_of_each_other_the_nearest_first() -> None:
    found = {5: {}, 10: {5: 0.03}, 15: {10: 0.01, 5: 0.04}}
    assert clones_of(found, 10, {5, 10, 15}) == [(0.01, 15), (0.03, 5)]
    assert clones_of(found, 5, {5, 10}) == [(0.03, 10)]
    assert clones_of(found, 15, {7}) == clones_of(found, 99, {5, 10, 15}) == []
    assert like_words("12.5 M", 0.031) == "like 12.5 M, 3 % of choices differ"
