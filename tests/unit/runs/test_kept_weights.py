"""Reward weights from the profile that a run keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from rltui.runs.summary import stored_weights

PROFILE = """schema = 1
[rewards]
touch = 2
"bot.py:Mine" = {weight = 0.5, power = 3}
[rewards.goal]
weight = 10.0
"""


def test_a_weight_is_told_by_the_name_of_reports(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, dict[str, float]]] = [
        (PROFILE, {"touch": 2.0, "Mine": 0.5, "goal": 10.0}),
        ('[rewards]\n"a.py:Same" = 1.0\n"b.py:Same" = 2.0\n', {"a.py:Same": 1.0, "b.py:Same": 2.0}),
        (PROFILE + '[[curriculum.phases]]\nprofile = "one"\n', {}),
        ("[rewards]\ntouch = true\ngoal = {power = 2}\n", {}),
        ("rewards = 3\ncurriculum = 4\n", {}),
        ("no [ toml", {}),
    ]
    for text, weights in cases:
        with subtests.test(text=text, weights=repr(weights)):
            run = DataDir(tmp_path).run("alpha")
            run.folder.mkdir(parents=True, exist_ok=True)
            run.profile.write_text(text)
            assert stored_weights(run) == weights


def test_no_profile_is_no_weight(tmp_path: Path) -> None:
    assert stored_weights(DataDir(tmp_path).run("nobody")) == {}
