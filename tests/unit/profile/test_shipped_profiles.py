"""Every shipped profile is valid, has nothing to be warned of, and is what it says it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rltui.env.from_profile import env_spec, reward_warnings, signature, sizes
from rltui.profile.advice import advice
from rltui.profile.load import load, read
from rltui.profile.locate import listing, shipped_folder

NAMES = [listed.name for listed in listing() if listed.shipped]
PHASES = ("phase-1-ball-touching", "phase-2-bronze-skills")
CLASSIC = ("classic-phase-1", "phase-2-bronze-skills")
LABELS = {
    "quick": "Quick",
    "phase-1-ball-touching": "BallTouching",
    "phase-2-bronze-skills": "BronzeSkills1",
    "classic-phase-1": "BallTouching",
    "seed-task": "SeedTask",
}


def test_they_are_there() -> None:
    assert {"quick", "seed-task", *PHASES} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_valid_and_without_warnings(name: str) -> None:
    reading = read(name)
    assert reading.problems == [] and reading.notices == []
    assert reading.profile is not None
    assert advice(reading.profile) == [] and reward_warnings(env_spec(reading.profile)) == []
    assert reading.profile.description and reading.profile.label == LABELS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_table_and_reward_is_commented(name: str) -> None:
    lines = (shipped_folder() / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith(f"# {name.partition('-')[0]}".replace("phase", "Phase")[:7])
    start = lines.index("[rewards]") + 1
    if name != "seed-task":
        assert lines[start - 2].startswith("#")
        for line in lines[start : lines.index("", start)]:
            assert "#" in line, line
    assert all(len(line) <= 120 for line in lines)


def test_a_bot_goes_from_phase_to_phase() -> None:
    first, second = (signature(load(name)) for name in PHASES)
    assert first == second == signature(load("classic-phase-1"))


def test_the_phases_have_the_community_s_weights() -> None:
    weights = [{name: reward.weight for name, reward in load(phase).rewards.items()} for phase in CLASSIC]
    assert weights == [
        {"touch": 1, "speed_toward_ball": 0.05, "face_ball": 0.01, "in_air": 0.0015},
        {"goal": 20, "concede": -10, "strong_hit": 0.2, "velocity_ball_to_goal": 0.2, "speed_toward_ball": 0.05,
         "face_ball": 0.015, "in_air": 0.0015},
    ]  # fmt: skip


def test_the_seed_task_is_the_peers() -> None:
    """The task as RLGym v2 builds it: 1v1, kickoffs, 92 numbers, 90 rows of 8 ticks, DefaultObs's own factors."""
    from math import pi

    profile = load("seed-task")
    spec = env_spec(profile)
    assert (spec.blue, spec.orange, spec.tick_skip, spec.action_delay_ticks) == (1, 1, 8, 1)
    assert [(reset.component.name, reset.weight) for reset in spec.resets] == [("kickoff", 1.0)]
    assert [(end.name, dict(end.options)) for end in spec.terminals] == [
        ("goal", {}),
        ("no_touch", {"seconds": 30.0}),
        ("timeout", {"seconds": 300.0}),
    ]
    assert {reward.component.name: reward.weight for reward in spec.rewards} == {
        "in_air": 0.002,
        "speed_toward_ball": 0.01,
        "velocity_ball_to_goal": 0.1,
        "goal": 10.0,
        "concede": -10.0,
    }
    assert dict(spec.rewards[2].component.options) == {"clip": True, "target_z": 0.0}
    assert spec.obs.options == {
        "zero_padding": 0,
        "pos_coef": (1 / 4096, 1 / 5120, 1 / 2044),
        "ang_coef": 1 / pi,
        "lin_vel_coef": 1 / 2300,
        "ang_vel_coef": 1 / 5.5,
        "pad_timer_coef": 0.1,
        "boost_coef": 0.01,
    }
    size = sizes(spec)
    assert (size.obs, size.actions) == (92, 90)
    assert profile.policy.layers == profile.critic.layers == (256, 256, 256)
    ppo = profile.ppo
    assert (ppo.iteration, ppo.batch, ppo.minibatch, ppo.epochs, ppo.buffer_iterations) == (
        20_000,
        20_000,
        20_000,
        2,
        1,
    )
    assert (ppo.learning_rate, ppo.critic_learning_rate, ppo.ent_coef) == (1e-4, 1e-4, 0.01)


def test_the_wheel_carries_them() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"] == {"profiles": "rltui/profiles"}
