"""Weights that change with the timesteps: written, checked, shown, compared, and arrived at in the environment."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rltui.env.from_profile import env_spec
from rltui.env.soccar_batch import SoccarBatch
from rltui.profile.load import load
from rltui.profile.models import weight_points, weight_schedule
from rltui.profile.render import differences, render
from rltui.profile.resolved import digest, resolved
from rltui.profile.source import ProfileError
from tests.fakes.batches import new_out

EXPECTED = "a number or a list of [timesteps, weight]"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def profile(rewards: str, name: str = "bot.toml") -> str:
    Path(name).write_text(f"schema = 1\n[rewards]\n{rewards}\n", encoding="utf-8")
    return name


def test_a_schedule_that_is_none_is_explained(subtests: pytest.Subtests) -> None:
    written_cases: list[tuple[str, str]] = [
        ("[]", "a schedule without points"),
        ("[0, 1.0]", "point 1: not [timesteps, weight]"),
        ("[[0, 1.0], [5]]", "point 2: not [timesteps, weight]"),
        ("[[0, 1.0, 2.0]]", "point 1: not [timesteps, weight]"),
        ('[[0, "much"]]', "point 1: not [timesteps, weight]"),
        ("[[true, 1.0]]", "point 1: not [timesteps, weight]"),
        ("[[0.5, 1.0]]", "point 1: timesteps must be a whole number, at least 0, not 0.5"),
        ("[[-8, 1.0]]", "point 1: timesteps must be a whole number, at least 0, not -8"),
        ("[[nan, 1.0]]", "point 1: timesteps must be a whole number, at least 0, not nan"),
        ("[[0, 1.0], [8, inf]]", "point 2: the weight must be finite, not inf"),
        ("[[0, nan]]", "point 1: the weight must be finite, not nan"),
        ("[[0, 1.0], [20_000, 0.5], [20_000, 0.2]]", "point 3: timesteps must rise, not 20_000 after 20_000"),
        ("[[8, 1.0], [0, 0.5]]", "point 2: timesteps must rise, not 0 after 8"),
    ]
    for written, problem in written_cases:
        for form in ["touch = {}", "touch = {{weight = {}}}"]:
            with subtests.test(written=written, problem=problem):
                with pytest.raises(ProfileError) as caught:
                    load(profile(form.format(written)))
                (found,) = caught.value.problems
                assert (found.line, found.key.removesuffix(".weight")) == (3, "rewards.touch")
                assert (found.message, found.expected) == (problem, EXPECTED)


def test_no_weight_at_all_is_explained_in_the_same_words(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ('"much"', "wrong type", EXPECTED),
        ("true", "wrong type", EXPECTED),
        ("nan", "out of range", "a finite number or a list of [timesteps, weight]"),
    ]
    for written, message, expected in cases:
        with subtests.test(written=written, message=message):
            with pytest.raises(ProfileError) as caught:
                load(profile(f"touch = {written}"))
            (found,) = caught.value.problems
            assert (found.message, found.expected) == (message, expected)


def test_a_schedule_of_zeros_is_nothing_to_learn_from() -> None:
    with pytest.raises(ProfileError, match="every weight is 0"):
        load(profile("touch = [[0, 0.0], [100, 0]]\ngoal = 0"))
    load(profile("touch = [[0, 0.0], [100, 1]]"))


def test_5e6_is_a_whole_number_of_timesteps_and_overrides_reach_it() -> None:
    path = profile("touch = 1.0")
    for override in ("rewards.touch=[[0, 1], [5e6, 0.2]]", "rewards.touch.weight=[[0, 1], [5_000_000, 0.2]]"):
        assert load(path, [override]).rewards["touch"].weight == ((0, 1.0), (5_000_000, 0.2))


def test_it_is_shown_compared_and_read_back() -> None:
    text = (
        "touch = [[0, 1.0], [5_000_000, 0.2]]\nstrong_hit = {weight = [[0, 0.1], [1e6, 0.5]], full_hit_speed = 1500}\n"
    )
    mine = load(profile(text))
    shown = render(mine)
    assert "\ntouch = [[0, 1.0], [5_000_000, 0.2]]\n" in shown
    assert tomllib.loads(shown)["rewards"]["strong_hit"]["weight"] == [[0, 0.1], [1_000_000, 0.5]]
    Path("shown.toml").write_text(shown, encoding="utf-8")
    again = load("shown.toml")
    assert digest(again) == digest(mine) and differences(mine, again) == []
    plain = load(profile("touch = 1.0\nstrong_hit = {weight = 0.1, full_hit_speed = 1500}", "plain.toml"))
    found = [(each.key, each.left, each.right) for each in differences(mine, plain)]
    assert found == [
        ("rewards.touch.weight", "[[0, 1.0], [5_000_000, 0.2]]", "1.0"),
        ("rewards.strong_hit.weight", "[[0, 0.1], [1_000_000, 0.5]]", "0.1"),
    ]
    assert json.loads(json.dumps(resolved(mine)))["rewards"]["touch"] == [[0, 1.0], [5_000_000, 0.2]]


def test_the_environment_pays_by_it() -> None:
    """In the air all the time at 1, then a tenth; halfway between the points half of both."""
    spec = env_spec(load(profile("in_air = [[1_000, 1.0], [2_000, 0.1]]\n[reward_options]\nmode = 'hybrid'")))
    batch = SoccarBatch(spec, 2, [0])
    out = new_out(batch)
    batch.reset(out)
    batch.state.on_ground.fill(False)
    paid = []
    for timesteps in (0, 1_000, 1_500, 2_000, 9_000):
        batch.set_timesteps(timesteps)
        batch._reward(out.rewards)
        paid.append(float(out.rewards[1, 0]))
    np.testing.assert_allclose(paid, [0.8, 0.8, 0.44, 0.08, 0.08], rtol=1e-6)  # hybrid: 0.8 for aerial


@given(st.lists(st.tuples(st.integers(0, 10**12), st.floats(-1e6, 1e6)), min_size=1, unique_by=lambda point: point[0]))
def test_any_rising_list_is_a_schedule(written: list[tuple[int, float]]) -> None:
    rising = sorted(written)
    assert weight_schedule([list(point) for point in rising]) == tuple(rising) == weight_points(weight_schedule(rising))
    assert weight_points(2.5) == ((0, 2.5),)
