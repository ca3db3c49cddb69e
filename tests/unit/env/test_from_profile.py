"""From profiles to specs and signatures, and what is said of a profile's rewards."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.env.from_profile import env_spec, mirror_maps, reward_warnings, said_settings, signature, sizes
from rltui.env.spec import EnvSpec, Weighted
from rltui.errors import RltuiError
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, weight_of
from rltui.profile.load import load
from rltui.registry import Component, build
from rltui.train.active_task import Overrides
from rltui.train.config import ResolvedConfig
from tests.fakes.batches import spec
from tests.fakes.tables import JUMP


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
    assert (size.obs, size.actions.outputs) == (92, 90)
    assert size.table_hash == table_hash(build("action table", Component("rlgym")).rows())
    assert sizes(env_spec(load("quick", ["obs.zero_padding=3"]))).obs == 172


OWN_OBS = """
import numpy as np
from rltui.obs.default import DefaultObs

class Longer(DefaultObs):
    def size(self, blue, orange):
        return super().size(blue, orange) + 1

class Half(Longer):
    def mirror(self, blue, orange):
        return np.arange(self.size(blue, orange)), np.full(self.size(blue, orange), 0.5)

class Unknown(DefaultObs):
    def mirror(self, blue, orange):
        return None
"""


def test_the_mirror_of_what_a_policy_sees_and_does() -> None:
    index, sign, actions = mirror_maps(env_spec(load("quick", ["obs.stack=2"])))
    assert (index.dtype, sign.dtype, actions.dtype) == (np.int64, np.float32, np.int64)
    assert (len(index), len(sign), len(actions)) == (2 * 92, 2 * 92, 90)
    assert sign[:9].tolist() == [-1, 1, 1, -1, 1, 1, 1, -1, -1]  # the ball: position, velocity, spin
    assert index[9:12].tolist() == [9, 11, 10] and index[92 + 9 : 92 + 12].tolist() == [101, 103, 102]  # pads


def test_what_has_no_mirror_image_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    file = tmp_path / "mirrorless.py"
    file.write_text(OWN_OBS)
    unsigned = "mirror() must give index, each of 0 to 92 once, and sign, 93 times 1 or -1"
    for name, words in (
        ("Unknown", "observation Unknown does not know its left-right mirror image"),
        ("Longer", f"observation Longer: {unsigned}"),
        ("Half", f"observation Half: {unsigned}"),
    ):
        obs = Component(f"{file}:{name}", {"zero_padding": 0})
        with subtests.test(name), pytest.raises(RltuiError) as caught:
            mirror_maps(spec(obs=obs))
        assert caught.value.message.partition("; found (")[0] == f"{words}, which ppo.mirror_augmentation needs"
    mirror_maps(spec(pipeline=PipelineOptions("fallback", recovery_row=JUMP)))
    with pytest.raises(RltuiError, match=r"actions.recovery_row = 40 \(.* is not its own left-right mirror image"):
        mirror_maps(spec(pipeline=PipelineOptions("fallback", recovery_row=40)))


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
    assert warning == 'reward_options.mode = "sparse" takes out every reward here'


def test_the_practice_lane_counts_and_says_nothing_twice() -> None:
    practice = "[mechanics]\nweight = 0.2\nresets = [{kind = 'random'}]\n"
    assert len(warnings(f"[rewards]\nconcede = 1\n{practice}")) == 1
    (warning,) = warnings(f"[rewards]\ntouch = 1\n{practice}[mechanics.rewards]\nconcede = 1\n")
    assert warning.startswith("concede is a penalty")


def test_weights_are_told_by_the_names_of_reports_and_follow_their_schedules() -> None:
    goal = Weighted(Component("goal"), 10.0, ((0, 10.0), (1000, 20.0)))
    found = spec(rewards=(Weighted(Component("touch"), 2.0), goal))
    assert found.reward_weights(0) == {"touch": 2.0, "goal": 10.0}
    assert found.reward_weights(500) == {"touch": 2.0, "goal": 15.0}
    assert list(found.reward_weights(0)) == found.reward_names


def test_what_a_profile_says_of_settings_is_what_a_trainer_stores() -> None:
    for argument in ("quick", "campaign"):
        profile = load(argument, ["ppo.schedule=linear"] if argument == "quick" else [])
        said = said_settings(profile)
        assert list(said) == ([phase.name for phase in profile.phases] or [""])
        config = ResolvedConfig.resolve(profile)
        overrides = Overrides(config)
        for name in overrides.reward_names:
            overrides.put(weight_of(name), 3.0)
        overrides.put(ENTROPY_SETTING, 0.5)
        stored = {name: state.words for name, state in overrides.stored().items()}
        assert next(iter(said.values())) == {RATE_SETTING: config.schedule.text, **stored}
