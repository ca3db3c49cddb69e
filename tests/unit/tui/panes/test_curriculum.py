"""The curriculum pane: phases, criteria, what comes and what was."""

from __future__ import annotations

import math

import msgspec

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.metrics import BY_KEY
from rltui.events.promotion import criteria_reached, distances
from rltui.events.records import PlannedCriterion
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.curriculum import CurriculumPane
from rltui.tui.panes.pane import View
from tests.fakes import figure_stories, run_story
from tests.fakes.drawn_panes import NOW, STORY, drawn

LOWER_END = "score against chaser (lower end)"


def test_curriculum_of_a_campaign() -> None:
    text = drawn(CurriculumPane(), fold(RunSnapshot(run="alpha"), figure_stories.campaign(80)))
    for words in (
        "Phase 1 of 3  ·  BallTouching",
        "phase-1-ball-touching, for 409,600 timesteps",
        "To go on, all of these over the newest 20 iterations",
        "40.0 missing",
        "✓ own goals",
        "≤ 0.500",
        "90,400 missing",
        "after 29,590,400 more timesteps",
        "N starts the next phase now",
        "  reward touch: 1 at 0, 0.5 at 2,000,000",
        "Changes in the next phase  BronzeSkills1, phase-2-bronze-skills",
        "  + rewards.goal 20.0",
        "  ppo.learning_rate 2e-4 → 1e-4",
    ):
        assert words in text
    speed = 20 / sum(1 / (run_story.iteration(index).metrics[OVERALL_SPEED] or math.nan) for index in range(61, 81))
    assert f"by the trend: in {formatting.duration(160 * run_story.STEPS / speed)}" in text


def test_curriculum_where_nothing_rises_promises_nothing() -> None:
    flat = [figure_stories.on_the_way(index, 40.0) for index in range(1, 30)]
    text = " ".join(
        drawn(CurriculumPane(), fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan(), *flat])).split()
    )
    assert "Next phase by the trend: – (no trend yet: kickoff touches)" in text


def by_games(*own: str) -> RunSnapshot:
    """A campaign that goes on by the score against chaser, and by what else is named."""
    score = PlannedCriterion(name="win_rate_chaser", label=LOWER_END, unit="%", value=60.0, less=False)
    plan = figure_stories.plan()
    phase, *rest = plan.phases
    until = [score, *(one for one in phase.until if one.name in own)]
    record = figure_stories.on_the_way(20, 40.0)
    figures = {key: value for key, value in record.metrics.items() if any(name in key for name in own)}
    figures |= {key: record.metrics[key] for key in ("curriculum/phase", "curriculum/position", "curriculum/phases")}
    figures |= {"curriculum/win_rate_chaser": 61.0, "curriculum/win_rate_chaser_missing": 0.0}
    plan = msgspec.structs.replace(plan, phases=[msgspec.structs.replace(phase, until=until), *rest])
    record = msgspec.structs.replace(record, metrics=figures)
    return fold(RunSnapshot(run="alpha"), [*run_story.opening(), plan, record])


def test_criteria_by_games_say_so_by_one_name_in_pane_and_status() -> None:
    for width in (80, 120):
        text = drawn(CurriculumPane(), by_games(), width)
        assert f"✓ {LOWER_END} " in text
        assert "all of these by games of the newest evaluated state" in text and "iterations" not in text
        both = drawn(CurriculumPane(), by_games("kickoff_touches"), width)
        assert "over the newest 20 iterations; lower ends by games" in both and LOWER_END in both
    assert BY_KEY[metric_keys.win_rate_low("chaser")].label == LOWER_END
    assert [one.label for one in distances(by_games().metrics)] == [LOWER_END]
    assert criteria_reached(by_games().metrics) == "1 of 1 reached"


def test_a_target_of_timesteps_stays_what_the_profile_says_once_reached() -> None:
    records = [*run_story.opening(), figure_stories.plan(), figure_stories.on_the_way(40, 40.0, steps=840_320)]
    (line,) = [
        line
        for line in drawn(CurriculumPane(), fold(RunSnapshot(), records), 100).splitlines()
        if "✓ timesteps" in line
    ]
    assert " ".join(line.split()).startswith("✓ timesteps 840,320 ") and " of 500,000 " in line, line


def test_names_in_a_list_hold_no_comma() -> None:
    for key in (metric_keys.ELO_LOW, *map(metric_keys.win_rate_low, ("chaser", "rule"))):
        assert "," not in BY_KEY[key].label


def test_curriculum_tells_what_was() -> None:
    records = [*figure_stories.campaign(40), run_story.phase_changed(run_story.now_of(40), 40 * run_story.STEPS)]
    text = drawn(CurriculumPane(), fold(RunSnapshot(), records), 100)
    assert "Phase 2 of 3  ·  BronzeSkills1  ·  stage 2v2" in text
    assert "phase phase-2-bronze-skills after phase-1-ball-touching" in text
    assert "skill reached: kickoff touches 91 (80 wanted)" in text
    assert "Only N ends this phase" in text, "this phase has neither criteria nor an end"


def test_curriculum_of_a_single_profile() -> None:
    empty = drawn(CurriculumPane(), fold(STORY, [figure_stories.plan(0)]))
    assert "No curriculum." in empty
    staged = figure_stories.plan(0, stages=True, schedules=["learning rate: linear from 0.0002 to 1e-05"])
    text = drawn(CurriculumPane(), fold(STORY, [staged]))
    assert "learning rate: linear from 0.0002 to 1e-05" in text
    assert "1v1              from 0 to 2,000,000" in text
    assert "2v2              from 2,000,000 to the end" in text


def test_nothing_is_left_to_reach_in_the_last_phase() -> None:
    pane = CurriculumPane()
    for phases, words in ((1, ""), (3, "2 of 4 reached")):
        snapshot = fold(RunSnapshot(run="alpha"), [*run_story.opening(), figure_stories.plan(phases), figure_stories.on_the_way(20, 40.0)])  # fmt: skip
        assert words in pane.subtitle(View(snapshot, NOW))
        assert bool(pane.subtitle(View(snapshot, NOW))) == bool(words)
        assert ("Last phase" in drawn(pane, snapshot)) == (phases == 1)


def test_curriculum_of_an_older_trainer() -> None:
    assert "its plan is not known" in drawn(CurriculumPane(), STORY)
