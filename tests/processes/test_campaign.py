"""A campaign end to end: phases by skill, steps and command, stages, kill -9 in the second phase, a switch that fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from rltui.events.commands import CommandApplied, CommandRefused, NextPhase, SetRender
from rltui.events.records import (
    CheckpointSaved,
    IterationFinished,
    LogLine,
    PhaseChanged,
    RunFinished,
    RunStarted,
    StageChanged,
)
from rltui.profile.load import load
from rltui.runs import meta, trainer_state
from rltui.runs.inventory import complete_checkpoints, list_milestones
from rltui.view.recording import Recording
from tests.fakes.asking import applied, ask
from tests.fakes.phases import phase, small
from tests.fakes.rocketsimvis import free_port
from tests.fakes.training import Training, runs, wait_for
from tests.fakes.viewed import recorded, viewer, viewers, watched_rewards

CAMPAIGN = """\
schema = 1
description = "Two phases, small enough for tests."
milestone_interval = 1_000_000
save_every = 1024
[curriculum]
window = 2
phases = [
    {profile = "first", %s},
    {profile = "second", until = {goals_per_minute = 1000}},
]
%s
""" + small(arenas=8)
NEVER = "until = {goals_per_minute = 1000}"
AT_ONCE = "until = {touches_per_minute = 0}, min_steps = 1_000"
BREAKABLE = """\
from pathlib import Path

from rltui.rewards.ball import Touch


class Breakable(Touch):
    category = "events"
    sign = 1

    def __init__(self, params):
        super().__init__(params)
        if Path(__file__).with_name("broken").exists():
            raise RuntimeError("broken since the start")
"""


@pytest.fixture
def campaign(training: Training) -> Training:
    (training.folder / "first.toml").write_text(phase("One", 1, "touch = 1\nspeed_toward_ball = 0.05"))
    (training.folder / "second.toml").write_text(phase("Two", 2, "goal = 5\nface_ball = 0.01", 600, 1e-4))
    training.profile = CAMPAIGN % (NEVER, "")
    return training


def after(training: Training, timesteps: int) -> Iterator[IterationFinished]:
    return (row for row in training.iterations() if row.timesteps > timesteps)


def saved(training: Training, timesteps: int) -> bool:
    """Whether there is a checkpoint of at least so many timesteps."""
    records = (record for record in training.poll() if isinstance(record, CheckpointSaved))
    return any(record.kind == "checkpoint" and record.timesteps >= timesteps for record in records)


def said(training: Training) -> list[str]:
    return [record.message for record in training.poll() if isinstance(record, LogLine)]


def test_it_promotes_by_itself_and_everything_follows(campaign: Training) -> None:
    campaign.profile = CAMPAIGN % (AT_ONCE, 'stages = "three_stage"\nstage_steps = [2_000, 3_000]')
    campaign.start("--steps", "4500")
    assert campaign.wait_end() == 0, campaign.output
    (phase,) = campaign.wait_records(PhaseChanged)
    to_uneven, to_teams = campaign.wait_records(StageChanged, 2)
    assert (phase.came_from, phase.to, phase.timesteps) == ("first", "second", 1024)
    assert phase.reason.startswith("skill reached: touches")
    assert (phase.task.phase, phase.task.label, phase.task.reward_names) == (2, "Two", ["goal", "face_ball"])
    assert phase.task.reward_weights == {"goal": 5.0, "face_ball": 0.01}
    assert (to_uneven.came_from, to_uneven.to, to_teams.to) == ("1v1", "1v2 checkpoints", "2v2")
    assert to_uneven.task.iteration == 600, "only blue's car is learnt from: 75 steps of 8 arenas"
    rows = campaign.iterations()
    assert [row.metrics.get("curriculum/phase") for row in rows][:3] == [1, 1, 2]
    assert {row.metrics.get("curriculum/stage") for row in rows} == {1, 2, 3}
    assert "reward/touch" in rows[0].metrics
    assert (rows[2].metrics["rollout/first_episodes"] or 0) > 50, "all arenas have begun anew with the phase"
    assert set(rows[-1].metrics) >= {"reward/goal", "curriculum/goals_per_minute_missing"}
    assert [row.metrics["train/learning_rate"] for row in rows[1:3]] == [2e-4, 1e-4]
    (milestone,) = list_milestones(campaign.paths)
    assert milestone.path.parent.name == "Phase1-One", "the phase that ended"
    newest = complete_checkpoints(campaign.paths)[-1].path
    assert (meta.read(newest).phase, meta.read(newest).stage, meta.read(newest).profile) == (2, "2v2", "tiny")
    taught = load(newest / "profile.toml")
    assert (list(taught.rewards), taught.game.blue, taught.phases) == (["goal", "face_ball"], 2, ())
    kept = load(campaign.paths.profile)
    assert (taught.name, kept.name) == ("second", "tiny")
    assert [list(phase.rewards) for phase in kept.phases] == [["touch", "speed_toward_ball"], ["goal", "face_ball"]]
    assert "phase second after first: skill reached" in campaign.output


@pytest.mark.slow
def test_killed_in_the_second_phase_it_goes_on_there(campaign: Training) -> None:
    campaign.profile = CAMPAIGN % ("max_steps = 1_000", "")
    campaign.start()
    (phase,) = campaign.wait_records(PhaseChanged)
    wait_for(lambda: saved(campaign, phase.timesteps), "a checkpoint of the second phase")
    assert campaign.process is not None
    campaign.process.kill()
    campaign.process.wait()
    reached = complete_checkpoints(campaign.paths)[-1].timesteps
    state = trainer_state.read(complete_checkpoints(campaign.paths)[-1].path)
    assert state is not None
    assert state.curriculum is not None
    assert (state.curriculum.profile, state.curriculum.started) == ("second", phase.timesteps)
    campaign.start("--steps", str(reached + 1500))
    assert campaign.wait_end() == 0, campaign.output
    started = campaign.wait_records(RunStarted, 2)[-1]
    assert (started.phase, started.label, started.timesteps) == (2, "Two", reached)
    assert all("reward/goal" in row.metrics for row in after(campaign, reached))
    assert len(campaign.wait_records(PhaseChanged)) == 1, "it did not begin again with the first phase"


@pytest.mark.skipif(sys.platform != "linux", reason="finds the viewer by its niceness")
def test_by_hand_and_no_further_than_the_last_and_a_viewer_goes_along(campaign: Training) -> None:
    """The viewer's match is then the next phase's, with the outputs it had; what was recorded before is kept."""
    campaign.start("--set", f"render.port={free_port()}")
    campaign.wait_records(IterationFinished)
    applied(campaign, SetRender(True, "recording"))
    wait_for(lambda: recorded(campaign) > 10, "something recorded")
    [first] = viewers(campaign)
    assert watched_rewards(campaign) == ("touch", "speed_toward_ball")
    answer = ask(campaign, NextPhase())
    assert isinstance(answer, CommandApplied)
    assert answer.detail.startswith("second begins at")
    (phase,) = campaign.wait_records(PhaseChanged)
    assert phase.reason == "asked for by tester"
    refused = ask(campaign, NextPhase())
    assert isinstance(refused, CommandRefused)
    assert "no next phase" in refused.reason
    wait_for(lambda: not runs(first), "the end of the first phase's viewer")
    wait_for(lambda: (found := viewer(campaign)) is not None and found.state == "playing", "the second phase's")
    assert watched_rewards(campaign) == ("goal", "face_ball")
    wait_for(lambda: recorded(campaign) > 0, "a recording of the second phase")
    (kept,) = campaign.paths.recordings.glob("*.npz")
    assert len(Recording(kept)) > 10
    campaign.check_continues()


def test_a_switch_that_fails_stops_the_run_with_a_checkpoint(campaign: Training) -> None:
    (campaign.folder / "breakable.py").write_text(BREAKABLE)
    second = campaign.folder / "second.toml"
    second.write_text(second.read_text().replace("face_ball", '"breakable.py:Breakable"'))
    campaign.start()
    campaign.wait_records(IterationFinished)
    (campaign.folder / "broken").touch()
    answer = ask(campaign, NextPhase())
    assert isinstance(answer, CommandRefused)
    assert campaign.wait_end() == 1
    finished = campaign.wait_records(RunFinished)[-1]
    assert "broken since the start" in finished.reason
    newest = complete_checkpoints(campaign.paths)[-1]
    assert newest.timesteps == finished.timesteps
    assert meta.read(newest.path).phase == 1
    assert "second cannot begin: reward" in campaign.output
    (campaign.folder / "broken").unlink()
    campaign.start("--steps", str(newest.timesteps + 512))
    assert campaign.wait_end() == 0, campaign.output
