"""Differences count what profiles mean, not how they are written."""

from __future__ import annotations

from pathlib import Path

from rltui.profile.load import load
from rltui.profile.render import Difference, differences
from rltui.profile.resolved import digest

LEFT = """\
schema = 1
resets = [{kind = "kickoff", weight = 0.4}, {kind = "random", weight = 0.6}]
[rewards]
touch = 1
strong_hit = 0.2
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def test_another_spelling_is_no_difference(tmp_path: Path) -> None:
    left = load(write(tmp_path, "left", LEFT))
    right = load(
        write(
            tmp_path,
            "right",
            "tick_skip = 8\n"
            'resets = [{kind = "random", weight = 6e-1, cars_on_ground = false}, {weight = 0.4, kind = "kickoff"}]\n'
            "[rewards]\ntouch = {weight = 1.0}\nstrong_hit = {weight = 0.2, full_hit_speed = 2300}\n",
        )
    )
    assert differences(left, right) == []
    assert digest(left) != digest(right)  # the order of resets decides what a seed draws
    assert digest(left) == digest(load(write(tmp_path, "same", "schema = 1.0\n" + LEFT.partition("\n")[2])))


def test_differences_by_key(tmp_path: Path) -> None:
    right = (
        "phase = 2\n"
        'resets = [{kind = "kickoff", weight = 0.5}, {kind = "kickoff"}, {kind = "random", weight = 0.6}]\n'
        "[rewards]\nstrong_hit = {weight = 0.2, full_hit_speed = 1000.0}\ngoal = 10\n"
        "[policy]\nlayers = [64]\n"
    )
    assert differences(load(write(tmp_path, "left", LEFT)), load(write(tmp_path, "right", right))) == [
        Difference("resets.kickoff.weight", "0.4", "0.5"),
        Difference("rewards.touch", "{weight = 1.0}", None),
        Difference("rewards.strong_hit.full_hit_speed", "2300.0", "1000.0"),
        Difference("policy.layers", "[256, 256, 256]", "[64]"),
        Difference("phase", None, "2"),
        Difference('resets."kickoff 2"', None, "{weight = 1.0}"),
        Difference("rewards.goal", None, "{weight = 10.0}"),
    ]


def test_a_campaign_is_compared_as_it_begins() -> None:
    found = differences(load("campaign"), load("phase-1-ball-touching"))
    assert [difference.key for difference in found] == ["description", "curriculum.phases"]
    assert found[1].left is not None and "phase-2-bronze-skills" in found[1].left and found[1].right is None
