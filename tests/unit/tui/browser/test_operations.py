"""Which words name a saved state."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from rltui.runs.inventory import CheckpointInfo, read_checkpoint_info
from rltui.runs.paths import DataDir
from rltui.tui.browser.operations import is_named, last_digits
from tests.fakes.saved_runs import make_run, save_milestone


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def entry_of(path: Path) -> CheckpointInfo:
    return dataclasses.replace(read_checkpoint_info(path), run="alpha")


def test_which_words_name_a_state(data: DataDir) -> None:
    paths = make_run(data)
    milestone = entry_of(save_milestone(paths, 1, 12_431_360, "012.43136M"))
    for typed in ("012.43136M", "12.43136 M", "12.43136m", "12,431,360", "12431360", "Phase1-BallTouching/012.43136M", "1360", " 1360 "):  # fmt: skip
        assert is_named(milestone, typed), typed
    for typed in ("", "M", "12", "136", "0360", "12,431,361", "y", "*"):
        assert not is_named(milestone, typed), typed
    checkpoint = entry_of(paths.checkpoint(3000))
    assert (is_named(checkpoint, "3000"), is_named(checkpoint, "checkpoint"), last_digits(checkpoint)) == (
        True,
        False,
        "3000",
    )
