"""Curriculum: position in phases and stages, promotion, and the plan told at the start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rltui.env.stats import EpisodeStats
from rltui.events import records
from rltui.profile.load import load
from rltui.profile.models import Profile
from rltui.runs.trainer_state import CurriculumState
from rltui.train.curriculum import Curriculum, CurriculumMove, Origin, change_words, curriculum_planned, schedule_words
from tests.fakes.state_evaluations import evaluated

PHASE = "schema = 1\nphase = {}\n[rewards]\ntouch = 1\n"
PHASES = """\
schema = 1
[curriculum]
window = 3
phases = [
    {profile = "one", until = {kickoff_touches = 80, own_goals_per_minute = 0.5}, min_steps = 1_000},
    {profile = "two", max_steps = 500},
    {profile = "three", until = {goals_per_minute = 2}},
]
"""
STAGES = '[{until = 2_000}, {blue = 1, orange = 2, opponent = "chaser", until = 3_000}, {blue = 2, orange = 2}]'


def games(kickoffs: int = 10, touched: int = 0, own_goals: int = 0, seconds: float = 60.0) -> EpisodeStats:
    """One iteration of the match."""
    return EpisodeStats(
        episodes=0, car_episodes=0, episode_ticks=0, rewards={"touch": 0.0}, goals=0, touches=0, airborne=0, boost=0.0,
        car_steps=200, arena_steps=100, seconds=seconds, own_goals=own_goals, kickoffs=kickoffs, kickoffs_touched=touched,
    )  # fmt: skip


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    for number, name in enumerate(("one", "two", "three"), 1):
        (tmp_path / f"{name}.toml").write_text(PHASE.format(number))
    (tmp_path / "campaign.toml").write_text(PHASES)
    return load(tmp_path / "campaign.toml")


@pytest.fixture
def staged(tmp_path: Path, profile: Profile) -> Profile:
    (tmp_path / "staged.toml").write_text(PHASES + f"stages = {STAGES}\n")
    return load(tmp_path / "staged.toml")


def after(curriculum: Curriculum, *iterations: EpisodeStats) -> Curriculum:
    for stats in iterations:
        curriculum.learned(stats)
    return curriculum


GOOD = games(10, 9)


def test_everything_wanted_over_a_full_window_and_after_the_least_steps(profile: Profile) -> None:
    curriculum = after(Curriculum(profile, 0), GOOD, GOOD)
    assert curriculum.due(5_000) is None, "the window is not full"
    after(curriculum, GOOD)
    assert curriculum.due(999) is None, "too early"
    move = curriculum.due(1_000)
    assert move is not None
    assert move.phase == 1
    assert move.reason == ("skill reached: kickoff touches 90 (80 wanted), own goals 0 (0.5 wanted), over 3 iterations")


def test_skill_is_that_of_all_games_in_the_window(profile: Profile, subtests: pytest.Subtests) -> None:
    cases = [
        ((games(10, 8), games(10, 8), games(10, 8)), True),
        ((games(10, 10), games(10, 10), games(10, 3)), False),
        ((games(100, 90), games(1, 0), games(1, 0)), True),  # by kickoffs, not by iterations
        ((games(0, 0), games(10, 9), games(0, 0)), True),  # an iteration without one says nothing
        ((games(0, 0), games(0, 0), games(0, 0)), False),  # nothing is known
        ((GOOD, GOOD, games(10, 9, own_goals=1)), True),  # 1 in 3 minutes
        ((GOOD, GOOD, games(10, 9, own_goals=2)), False),
        ((games(10, 0), games(10, 9), GOOD, GOOD), True),  # the oldest is forgotten
    ]
    for iterations, reached in cases:
        with subtests.test(reached=str(reached)):
            assert (after(Curriculum(profile, 0), *iterations).due(2_000) is not None) == reached


def test_games_of_this_phases_milestones_count_by_the_lower_end(profile: Profile, tmp_path: Path) -> None:
    until = "until = {win_rate_chaser = 60, elo = 1100}"
    text = PHASES.replace("until = {kickoff_touches = 80, own_goals_per_minute = 0.5}", until).replace(
        "2}", "2, elo = 9e3}"
    )
    (tmp_path / "games.toml").write_text(f"{text}[evaluation]\ngames = 100\n")
    curriculum = after(Curriculum(load(tmp_path / "games.toml"), 0), GOOD, GOOD, GOOD)
    assert curriculum.metrics()["curriculum/win_rate_chaser"] is None
    for found in (evaluated(900, low=50), evaluated(900, low=70, games=18), evaluated(900, low=70, elo_low=None)):
        curriculum.evaluated(found)
        assert curriculum.due(1_000) is None
    assert curriculum.metrics()["curriculum/elo_missing"] is None
    assert "curriculum/window" not in curriculum.metrics(), "iterations do not count"
    curriculum.evaluated(evaluated(900, low=70))
    assert curriculum.metrics()["curriculum/win_rate_chaser"] == 70
    move = curriculum.due(1_000)
    assert move is not None
    assert move.reason == (
        "skill reached: score against chaser (lower end) 70 (60 wanted), Elo (lower end) 1,145 (1100 wanted), "
        "by games of the newest evaluated state"
    )
    curriculum.go(CurriculumMove(2, 0, ""), 1_000)
    curriculum.evaluated(evaluated(1_000))
    assert curriculum.metrics()["curriculum/elo"] is None, "the milestone that ended the phase before"
    curriculum.evaluated(evaluated(1_001))
    assert curriculum.metrics()["curriculum/elo_missing"] == 9e3 - 1145


def test_the_distance_to_each_criterion_and_what_blocks_it_beside_skill_are_told(profile: Profile) -> None:
    curriculum = Curriculum(profile, 0)
    assert curriculum.metrics() == {
        "curriculum/phase": 1,
        "curriculum/position": 1,
        "curriculum/phases": 3,
        "curriculum/window": 0,
        "curriculum/window_missing": 3,
        "curriculum/kickoff_touches": None,
        "curriculum/kickoff_touches_missing": None,
        "curriculum/own_goals_per_minute": None,
        "curriculum/own_goals_per_minute_missing": None,
    }
    found = after(curriculum, games(10, 5, own_goals=2), games(10, 6)).metrics()
    assert found["curriculum/kickoff_touches"] == pytest.approx(55)
    assert found["curriculum/kickoff_touches_missing"] == pytest.approx(25)
    assert found["curriculum/own_goals_per_minute"] == pytest.approx(1)
    assert found["curriculum/own_goals_per_minute_missing"] == pytest.approx(0.5)
    assert after(curriculum, games(10, 10), games(10, 10)).metrics()["curriculum/kickoff_touches_missing"] == 0

    curriculum = after(Curriculum(profile, 0), GOOD)
    found = curriculum.metrics(400)
    assert (found["curriculum/window"], found["curriculum/window_missing"]) == (1, 2)
    assert (found["curriculum/min_steps"], found["curriculum/min_steps_missing"]) == (400, 600)
    assert curriculum.metrics(1_700)["curriculum/min_steps_missing"] == 0
    curriculum.go(CurriculumMove(1, 0, ""), 4_000)
    found = curriculum.metrics(4_100)
    assert (found["curriculum/phase_steps"], found["curriculum/max_steps_left"]) == (100, 400)
    assert "curriculum/min_steps" not in found and "curriculum/window" not in found, "the second phase wants neither"
    curriculum.go(CurriculumMove(2, 0, ""), 5_000)
    assert "curriculum/max_steps_left" not in curriculum.metrics(6_000)


def test_by_steps_of_the_phase_and_by_hand_never_beyond_the_last_and_skill_is_measured_anew(profile: Profile) -> None:
    curriculum = Curriculum(profile, 0)
    curriculum.go(CurriculumMove(1, 0, ""), 4_000)
    assert (curriculum.phase_name, curriculum.started) == ("two", 4_000)
    assert curriculum.due(4_499) is None
    assert curriculum.due(4_500) == CurriculumMove(2, 0, "500 timesteps, of 500 at most")

    curriculum = Curriculum(profile, 0)
    assert curriculum.due(10, "ada") == CurriculumMove(1, 0, "asked for by ada")
    curriculum.go(CurriculumMove(2, 0, ""), 10)
    assert curriculum.next_phase is None
    assert after(curriculum, *3 * [replace(GOOD, goals=10)]).due(10**9, "ada") is None
    assert curriculum.metrics()["curriculum/goals_per_minute_missing"] == 0, (
        "the last one's distance is told all the same"
    )

    curriculum = after(Curriculum(profile, 0), GOOD, GOOD, GOOD)
    curriculum.go(CurriculumMove(2, 0, ""), 1_000)
    assert curriculum.metrics()["curriculum/goals_per_minute"] is None


def test_stages_go_by_the_run_s_timesteps(staged: Profile) -> None:
    curriculum = Curriculum(staged, 0)
    assert curriculum.due(1_999) is None
    move = curriculum.due(2_100)
    assert move == CurriculumMove(0, 1, "2,100 timesteps of the run")
    curriculum.go(move, 2_100)
    assert (curriculum.started, curriculum.stage_name) == (0, "1v2 chaser"), "the phase goes on"
    lesson = curriculum.profile
    assert (lesson.game.blue, lesson.game.orange, lesson.game.opponent, lesson.phase) == (1, 2, "chaser", 1)
    both = curriculum.due(3_500, "ada")
    assert both == CurriculumMove(1, 2, "asked for by ada")
    assert curriculum.profile_after(both).game.orange == 2
    assert curriculum.metrics()["curriculum/stage"] == 2


def test_without_a_curriculum_nothing_ever_changes() -> None:
    curriculum = after(Curriculum(load("quick"), 0), GOOD)
    assert (curriculum.due(10**9, "ada"), curriculum.metrics(), curriculum.state()) == (None, {}, None)
    assert curriculum.profile == load("quick")


def resumed(profile: Profile, state: CurriculumState | None, trained_with: str = "campaign") -> Curriculum:
    return Curriculum(profile, 9_000, Origin(trained_with, state))


def test_a_resume_goes_on_where_it_was_with_its_evidence_of_skill_also_where_the_phase_has_moved(
    profile: Profile,
) -> None:
    before = Curriculum(profile, 0)
    before.go(CurriculumMove(1, 0, ""), 8_000)
    after(before, GOOD, games(3, 1))
    state = before.state()
    assert state is not None
    again = resumed(profile, state)
    assert (again.phase_name, again.started, again.notices) == ("two", 8_000, [])
    assert again.state() == state

    again = resumed(profile, after(Curriculum(profile, 0), GOOD, GOOD).state())
    assert again.due(9_000) is None
    assert after(again, GOOD).due(9_000) is not None

    again = resumed(profile, CurriculumState(phase=0, profile="three", started=100))
    assert (again.phase_name, again.started) == ("three", 100)
    assert again.notices == ["phase three is number 3 of the campaign now, and goes on"]


def test_what_is_not_there_any_more_is_said(profile: Profile, subtests: pytest.Subtests) -> None:
    cases = [
        (
            CurriculumState(phase=1, profile="gone", started=5),
            "campaign",
            "two",
            "phase gone of the checkpoint is not in",
        ),
        (CurriculumState(phase=7, profile="gone", started=5), "campaign", "three", "phase 3 of the campaign, three"),
        (None, "two", "two", "the checkpoint was trained with two: phase 2"),
        (None, "other", "one", "the checkpoint comes from no campaign: phase 1 of the campaign, one, begins here"),
    ]
    for state, trained_with, phase, words in cases:
        with subtests.test(words=str(words)):
            again = resumed(profile, state, trained_with)
            assert (again.phase_name, again.started) == (phase, 9_000)
            assert words in again.notices[0]


def test_statistics_of_another_version_are_no_evidence(profile: Profile) -> None:
    again = resumed(profile, CurriculumState(phase=0, profile="one", started=0, window=[{"goals": 1}]))
    assert "skill is measured anew" in again.notices[0]
    assert again.metrics()["curriculum/kickoff_touches"] is None


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


def test_the_plan_has_phases_with_their_criteria_changes_and_schedules(campaign: Profile) -> None:
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

    first, second = curriculum_planned(campaign, 0).phases
    assert first.changes == []
    assert second.changes[:3] == ["rewards.touch 1.0 → 0.5", "- rewards.in_air", "+ rewards.strong_hit 4.0"]
    assert "ppo.learning_rate 2e-4 → 1e-4" in second.changes
    assert not any("label" in change or "phase" in change for change in second.changes)
    assert not any("full_hit_speed" in change for change in second.changes), "a new reward is told by its weight alone"
    assert list(change_words(campaign.phases[0], campaign.phases[0])) == []

    first, second = curriculum_planned(campaign, 0).phases
    assert first.schedules == ["reward in_air: 0.5 at 0, 0 at 2,000,000"]
    assert second.schedules == ["learning rate: linear from 0.0001 to 2e-05 over 3,000,000 timesteps"]
    assert list(schedule_words(campaign.phases[0])) == first.schedules


def test_without_a_curriculum_nothing_is_planned_and_the_shipped_campaign_changes_in_each_phase(tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text("schema = 1\n[rewards]\ntouch = 1\n")
    plan = curriculum_planned(load(tmp_path / "plain.toml"), 0)
    assert (plan.phases, plan.stages, plan.schedules) == ([], [], [])

    plan = curriculum_planned(load("campaign"), 0)
    assert [phase.number for phase in plan.phases] == [1, 2, 3, 4]
    assert all(phase.changes for phase in plan.phases[1:])
