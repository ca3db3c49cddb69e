"""The way to the next goals at its edges: what is beyond, what is switched off, what nobody waits for any more."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.events.records import RunStarted
from rltui.run_state import progress
from rltui.run_state.fold import fold
from rltui.run_state.progress import is_last_phase
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import figure_stories, run_story

OPEN = fold(RunSnapshot(alive=True), [*run_story.opening(), *run_story.iterations(1, 40)])


def with_header(**changes: object) -> RunSnapshot:
    assert isinstance(OPEN.header, RunStarted)
    return replace(OPEN, header=msgspec.structs.replace(OPEN.header, **changes))


def test_beyond_the_limit_the_way_is_whole_and_takes_no_time() -> None:
    limit = progress.step_targets(with_header(step_limit=OPEN.timesteps - 1))[-1]
    assert (limit.name, limit.share, limit.seconds) == ("limit", 1.0, 0.0)


def test_saved_ahead_of_what_is_told_is_no_way_back() -> None:
    """A live frame's steps can be older than a checkpoint's."""
    checkpoint = progress.step_targets(replace(OPEN, saved_timesteps=OPEN.timesteps + 1000))[0]
    assert checkpoint.share == 0.0


def test_what_is_switched_off_is_no_goal(subtests: pytest.Subtests) -> None:
    for off, left in (("save_every", ["milestone"]), ("milestone_interval", ["checkpoint"])):
        with subtests.test(off=off, left=left):
            assert [goal.name for goal in progress.step_targets(with_header(**{off: 0}))] == left


def test_after_the_last_phase_there_is_none() -> None:
    campaign = fold(RunSnapshot(), figure_stories.campaign(20))
    assert "promotion" in [goal.name for goal in progress.step_targets(campaign)]
    plan = campaign.plan
    assert plan is not None
    at = replace(campaign, plan=msgspec.structs.replace(plan, phases=plan.phases[:1]))
    assert is_last_phase(at)
    assert "promotion" not in [goal.name for goal in progress.step_targets(at)]
