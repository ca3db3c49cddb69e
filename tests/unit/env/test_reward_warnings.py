"""What `rltui profile check` and the start of training say of a profile's rewards."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.env.from_profile import env_spec, reward_warnings
from rltui.profile.load import load

OWN = """
from rltui.rewards.base import Reward

class FarPenalty(Reward):
    category, sign = "ball", 0

    def value(self, state):
        return abs(state.position[..., 1])
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, encoding="utf-8")


def warnings(text: str) -> list[str]:
    Path("bot.toml").write_text(f"schema = 1\n{text}", encoding="utf-8")
    return reward_warnings(env_spec(load("bot.toml")))


def test_a_users_penalty_that_pays_is_found_on_random_states() -> None:
    (warning,) = warnings("[rewards]\ntouch = 1\n'own.py:FarPenalty' = 0.5\n")
    assert warning == (
        "FarPenalty is a penalty, but its value on random states is never negative and with weight 0.5 it pays: "
        "should the weight be -0.5?"
    )
    assert warnings("[rewards]\ntouch = 1\n'own.py:FarPenalty' = -0.5\n") == []


def test_the_point_of_a_schedule_that_turns_it_round_is_named() -> None:
    (warning,) = warnings("[rewards]\ntouch = [[0, 1.0], [300_000, -0.1]]\n")
    assert "with weight -0.1 at 300,000 timesteps it costs" in warning


def test_a_category_that_its_mode_takes_out_is_not_looked_at() -> None:
    assert warnings("[rewards]\ntouch = 1\nin_air = -1\n") != []
    assert warnings("[rewards]\ntouch = 1\nin_air = -1\n[reward_options]\nmode = 'sparse'\n") == []


def test_a_mode_that_leaves_nothing() -> None:
    (warning,) = warnings("[rewards]\nface_ball = 1\nin_air = 1\n[reward_options]\nmode = 'sparse'\n")
    assert warning == 'reward_options.mode = "sparse" leaves nothing to learn from: it takes out every reward here'


def test_the_practice_lane_counts_and_says_nothing_twice() -> None:
    practice = "[mechanics]\nweight = 0.2\nresets = [{kind = 'random'}]\n"
    assert len(warnings(f"[rewards]\nconcede = 1\n{practice}")) == 1
    (warning,) = warnings(f"[rewards]\ntouch = 1\n{practice}[mechanics.rewards]\nconcede = 1\n")
    assert warning.startswith("concede is a penalty")
