"""Every shipped profile is valid, has nothing to be warned of, and is what it says it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rltui.checks.action_table.report import examine
from rltui.env.from_profile import env_spec, reward_warnings, signature, sizes, table_rows
from rltui.profile.advice import advice
from rltui.profile.curriculum import task_profiles
from rltui.profile.load import load, read
from rltui.profile.locate import SHIPPED, list_profiles, shipped_folder

TOP = Path(__file__).resolve().parents[3] / "profiles"
NAMES = [listed.name for listed in list_profiles() if listed.shipped]
PHASES = ("phase-1-ball-touching", "phase-2-bronze-skills", "phase-3-silver-skills", "phase-4-gold-skills")
CLASSIC = tuple(f"classic-phase-{number}" for number in range(1, 5))
SKILLS = ("BallTouching", "BronzeSkills1", "SilverSkills1", "GoldSkills1")
LABELS = {
    "quick": "Quick",
    **dict(zip(PHASES, SKILLS, strict=True)),
    **dict(zip(CLASSIC, SKILLS, strict=True)),
    "campaign": "BallTouching",  # its first phase's
    "gpu": "Gpu",
    "seed-task": "SeedTask",
    "cartpole": "CartPole",
}


def test_they_are_there() -> None:
    assert set(NAMES) >= set(LABELS)


def test_the_list_of_them_is_what_the_repository_has() -> None:
    assert {path.stem for path in TOP.glob("*.toml")} == SHIPPED


def test_valid_and_without_warnings(subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            reading = read(name)
            assert reading.problems == [] and reading.notices == []
            assert reading.profile is not None
            assert advice(reading.profile) == []
            assert all(reward_warnings(env_spec(taught)) == [] for taught in task_profiles(reading.profile))
            assert reading.profile.description and reading.profile.label == LABELS[name]


def test_every_table_and_reward_is_commented(subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            lines = (shipped_folder() / f"{name}.toml").read_text(encoding="utf-8").splitlines()
            assert lines[0].startswith(f"# {name.partition('-')[0]}".replace("phase", "Phase")[:7])
            for table in ("[rewards]", "[mechanics.rewards]") if name != "seed-task" else ():
                if table in lines:
                    start = lines.index(table) + 1
                    assert lines[start - 2].startswith("#")
                    for line in lines[start : lines.index("", start)]:
                        assert "#" in line, line
            assert all(len(line) <= 120 for line in lines)


def test_a_bot_goes_from_phase_to_phase() -> None:
    needed = {signature(load(name)) for name in (*PHASES, *CLASSIC, "campaign")}
    assert len(needed) == 1


def test_the_campaign_goes_through_all_phases_and_only_its_last_has_no_end() -> None:
    campaign = load("campaign")
    assert tuple(phase.name for phase in campaign.phases) == PHASES
    assert [phase.phase for phase in task_profiles(campaign)] == [1, 2, 3, 4]
    *before, last = campaign.curriculum.phases
    assert all(entry.until and (entry.min_steps or entry.max_steps) for entry in before)
    assert not last.until
    first = before[0]
    assert {"kickoff_touches", "touches_per_minute"} <= set(first.until), "both: either alone may be luck"


def test_learning_rates_are_as_advised() -> None:
    """Cannot score yet 2e-4, scoring 1e-4, dribbles and flicks 0.8e-4 or less (a bot that knows nothing may be bolder)."""
    rates = [load(name).ppo for name in CLASSIC]
    assert [rate.learning_rate for rate in rates] == [2e-4, 2e-4, 1e-4, 0.8e-4]
    assert (rates[1].schedule, rates[1].learning_rate_floor) == ("linear", 1.5e-4)
    assert {load(name).ppo.schedule for name in PHASES} == {"kl_adaptive"}, "those find their own"


def test_practice_begins_in_phase_4() -> None:
    assert [load(name).mechanics.weight for name in PHASES] == [0, 0, 0, 0.2]


def test_every_table_lets_a_bot_do_what_it_must() -> None:
    tables = {str((spec.table, spec.pipeline)): spec for spec in (env_spec(load(name)) for name in NAMES)}
    for spec in (spec for spec in tables.values() if not spec.environment):
        assert examine(table_rows(spec), spec.pipeline).of("fail") == []


COMMUNITY = [
    {"touch": 1, "speed_toward_ball": 0.05, "face_ball": 0.01, "in_air": 0.0015},
    {"goal": 20, "concede": -10, "strong_hit": 0.2, "velocity_ball_to_goal": 0.2, "speed_toward_ball": 0.05,
     "face_ball": 0.015, "in_air": 0.0015},
    {"goal": 25, "concede": -8, "velocity_ball_to_goal": 8, "liu_distance_ball_to_goal": 3,
     "negative_velocity_own_goal": 4, "liu_distance_player_to_ball": 1, "strong_hit": 5, "jump_shot": 2.5, "face_ball": 1,
     "speed_toward_ball": 1, "save_boost": 0.4, "recovery_and_landing": 0.1, "bad_orientation": 0.1, "in_air": 0.075},
    {"goal": 20, "concede": -10, "velocity_ball_to_goal": 10, "strong_hit": 5, "basic_shot": 4, "basic_aerial": 4,
     "save_boost": 0.8, "collect_boost": 0.3, "face_ball": 1, "speed_toward_ball": 1, "recovery_and_landing": 0.3,
     "bad_orientation": 0.1},
]  # fmt: skip


def test_the_classic_phases_have_the_community_s_weights(subtests: pytest.Subtests) -> None:
    for name, weights in list(zip(CLASSIC, COMMUNITY, strict=True)):
        with subtests.test(name=name, weights=repr(weights)):
            assert {term: reward.weight for term, reward in load(name).rewards.items()} == weights


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
    assert (size.obs, size.actions.outputs) == (92, 90)
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


def test_the_wheel_carries_them_and_the_starter_bot() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    carried = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert carried == {"profiles": "rltui/profiles", "assets/starter": "rltui/starter"}
