"""From profiles to specs and signatures: what makes two bots fit, and what does not matter."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from rltui.actions.table import table_hash
from rltui.env.from_profile import env_spec, reward_warnings, signature, sizes
from rltui.env.spec import EnvSpec, Weighted
from rltui.profile.load import load
from rltui.registry import Component, build


def test_the_spec_of_a_profile() -> None:
    spec = env_spec(
        load(
            "quick",
            ["game.blue=2", "game.meshes=/somewhere", "tick_skip=6", "action_delay_ticks=0", "obs.zero_padding=1"],
        )
    )
    assert (spec.blue, spec.orange, spec.tick_skip, spec.action_delay_ticks) == (2, 1, 6, 0)
    assert spec.meshes == "/somewhere"
    assert spec.obs.name == "default" and spec.obs.options["zero_padding"] == 1
    assert spec.table == Component("rlgym")
    assert spec.rewards[1] == Weighted(Component("speed_toward_ball"), 0.05)
    assert [(item.component.name, item.weight) for item in spec.resets] == [("kickoff", 0.4), ("random", 0.6)]
    assert spec.resets[1].component.options["cars_on_ground"] is True
    assert spec.terminals[1] == Component("no_touch", {"seconds": 15.0})


def test_no_meshes_means_the_installed_ones() -> None:
    assert env_spec(load("quick")).meshes is None


def test_it_crosses_processes_as_plain_data() -> None:
    spec = env_spec(load("seed-task"))
    data = pickle.dumps(spec)
    assert pickle.loads(data) == spec
    assert b"pydantic" not in data and b"rltui.profile" not in data


def test_sizes() -> None:
    size = sizes(env_spec(load("quick")))
    assert (size.obs, size.actions) == (92, 90)
    assert size.table_hash == table_hash(build("action table", Component("rlgym")).rows())
    assert sizes(env_spec(load("quick", ["obs.zero_padding=3"]))).obs == 172


def test_a_signature_in_full() -> None:
    found = signature(load("quick"))
    kind, size, parameters = found.obs.split("/")
    assert (kind, size, len(parameters)) == ("default", "92", 8)
    assert found.table_hash == sizes(env_spec(load("quick"))).table_hash
    assert (found.policy, found.critic) == ("discrete 92-128-128-90", "critic 92-128-128-1")


def test_what_a_bot_does_not_care_for(subtests: pytest.Subtests) -> None:
    for override in (
        "ppo.learning_rate=1e-5",
        "rewards.goal=3",
        "resets=[{kind='kickoff'}]",
        "tick_skip=4",
        "collect.arenas=3",
        "obs.boost_coef=1e-2",
    ):
        with subtests.test(override=override):
            assert signature(load("quick", [override])) == signature(load("quick"))


def test_what_makes_it_another_bot(subtests: pytest.Subtests) -> None:
    for override, part in (
        ("obs.zero_padding=3", "observation"),
        ("obs.boost_coef=0.02", "observation"),
        ("obs.stack=2", "observation"),
        ("obs.normalize=true", "observation"),
        ("policy.layers=[128]", "policy"),
        ("critic.layers=[64, 64]", "critic"),
        ("game.blue=2", "observation"),
    ):
        with subtests.test(override=override, part=part):
            differences = signature(load("quick")).differences(signature(load("quick", [override])))
            assert any(difference.startswith(part) for difference in differences)


def test_stacking_and_normalising_stand_in_the_signature() -> None:
    plain = signature(load("quick")).obs
    both = signature(load("quick", ["obs.stack=3", "obs.normalize=true"])).obs
    assert both == plain.replace("/92/", f"/{3 * 92}/") + "/stack 3/normalized"


def test_team_sizes_count_through_the_size_alone() -> None:
    padded = ["obs.zero_padding=3"]
    assert signature(load("quick", padded)) == signature(load("quick", [*padded, "game.blue=3", "game.orange=2"]))


def test_warnings_of_signs() -> None:
    assert reward_warnings(env_spec(load("quick"))) == []
    (warning,) = reward_warnings(env_spec(load("phase-2-bronze-skills", ["rewards.concede=10"])))
    assert "concede" in warning and "-10" in warning


def test_a_spec_is_frozen() -> None:
    spec: EnvSpec = env_spec(load("quick"))
    with pytest.raises(AttributeError):
        spec.blue = 3  # type: ignore[misc]


def test_rewards_are_called_by_their_class_wherever_their_file_lies() -> None:
    names = ("/there/mine.py:High", "touch", "/a/one.py:Same", "/b/two.py:Same")
    spec = replace(env_spec(load("quick")), rewards=tuple(Weighted(Component(name), 1.0) for name in names))
    assert spec.reward_names == ["High", "touch", "/a/one.py:Same", "/b/two.py:Same"]
