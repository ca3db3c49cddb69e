"""What a trainer tells of a profile's plans: phases, criteria, what each changes, stages, schedules."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.events import records
from rltui.profile.load import load
from rltui.profile.models import Profile
from rltui.train.curriculum import change_words, curriculum_planned, schedule_words

ONE = """\
schema = 1
phase = 1
label = "Touching"
[rewards]
touch = 1
in_air = {weight = [[0, 0.5], [2_000_000, 0.0]]}
[ppo]
learning_rate = 2e-4
"""
TWO = """\
schema = 1
phase = 5
label = "Shooting"
[rewards]
touch = 0.5
strong_hit = 4
[ppo]
learning_rate = 1e-4
schedule = "linear"
schedule_steps = 3_000_000
learning_rate_floor = 2e-5
"""
BOTH = """\
schema = 1
[curriculum]
window = 7
stages = [{until = 2_000}, {name = "crowd", blue = 2, orange = 2}]
phases = [
    {profile = "one", until = {kickoff_touches = 80, own_goals_per_minute = 0.5}, min_steps = 1_000, max_steps = 9_000},
    {profile = "two"},
]
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Profile:
    for name, text in (("one", ONE), ("two", TWO), ("both", BOTH)):
        (tmp_path / f"{name}.toml").write_text(text)
    return load(tmp_path / "both.toml")


def test_phases_with_their_criteria(campaign: Profile) -> None:
    plan = curriculum_planned(campaign, 500)
    one, two = plan.phases
    assert (plan.window, plan.timesteps) == (7, 500)
    assert (one.profile, one.label, one.number, one.min_steps, one.max_steps) == ("one", "Touching", 1, 1_000, 9_000)
    assert [(want.label, want.unit, want.value, want.less) for want in one.until] == [
        ("kickoff touches", "%", 80.0, False),
        ("own goals", "/min", 0.5, True),
    ]
    assert (two.number, two.until, two.max_steps) == (5, [], None)
    assert [(stage.name, stage.until) for stage in plan.stages] == [("1v1", 2_000), ("crowd", None)]
    assert records.decode(records.encode(plan)) == plan


def test_what_a_phase_changes_rewards_first_and_no_more_than_that(campaign: Profile) -> None:
    first, second = curriculum_planned(campaign, 0).phases
    assert first.changes == []
    assert second.changes[:3] == ["rewards.touch 1.0 → 0.5", "- rewards.in_air", "+ rewards.strong_hit 4.0"]
    assert "ppo.learning_rate 2e-4 → 1e-4" in second.changes
    assert not any("label" in change or "phase" in change for change in second.changes)
    assert not any("full_hit_speed" in change for change in second.changes), "a new reward is told by its weight alone"
    assert list(change_words(campaign.phases[0], campaign.phases[0])) == []


def test_schedules_in_words(campaign: Profile) -> None:
    first, second = curriculum_planned(campaign, 0).phases
    assert first.schedules == ["reward in_air: 0.5 at 0, 0 at 2,000,000"]
    assert second.schedules == ["learning rate: linear from 0.0001 to 2e-05 over 3,000,000 timesteps"]
    assert list(schedule_words(campaign.phases[0])) == first.schedules


def test_a_profile_without_a_curriculum_plans_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text("schema = 1\n[rewards]\ntouch = 1\n")
    plan = curriculum_planned(load(tmp_path / "plain.toml"), 0)
    assert (plan.phases, plan.stages, plan.schedules) == ([], [], [])


def test_the_shipped_campaign() -> None:
    plan = curriculum_planned(load("campaign"), 0)
    assert [phase.number for phase in plan.phases] == [1, 2, 3, 4]
    assert all(phase.changes for phase in plan.phases[1:])
