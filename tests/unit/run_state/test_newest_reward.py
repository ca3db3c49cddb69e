"""The cockpit's reward is the one that the journal's readers tell."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.episode_reward import EpisodeReward, RewardWindow
from rltui.events.records import IterationFinished
from rltui.run_state.fold import fold
from rltui.run_state.rewards import newest_reward
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import run_story
from tests.fakes.run_story import phase_changed


def without_episodes(row: IterationFinished) -> IterationFinished:
    ended = {key: None for key in row.metrics if key.startswith("reward/") or key == "rollout/policy_reward"}
    return msgspec.structs.replace(row, metrics={**row.metrics, **ended, "rollout/episodes": 0})


ROWS: list[IterationFinished] = [run_story.iteration(index) for index in range(1, 30)]
OTHER = msgspec.structs.replace(
    ROWS[5], metrics={"rollout/policy_reward": 3.0, "rollout/episodes": 4, "reward/goal": 3.0}
)


def test_it_is_what_the_journal_tells(subtests: pytest.Subtests) -> None:
    for told in (
        [],
        ROWS[:2],
        ROWS,
        [*ROWS[:10], *map(without_episodes, ROWS[10:20])],
        [*ROWS[:10], phase_changed(0.0, ROWS[9].timesteps)],
        [*ROWS[:10], phase_changed(0.0, ROWS[9].timesteps), *ROWS[10:12]],
        [*ROWS[:5], OTHER],
    ):
        with subtests.test(told=told):
            snapshot = fold(RunSnapshot(), [*run_story.opening(), *told])
            expected = RewardWindow(told).value
            found = newest_reward(snapshot)
            assert found.episodes == expected.episodes
            assert found.mean == pytest.approx(expected.mean)


def test_an_iteration_of_unknown_episodes_counts_for_nothing() -> None:
    told = [*ROWS[:3], msgspec.structs.replace(ROWS[3], metrics={**ROWS[3].metrics, "rollout/episodes": None})]
    assert newest_reward(fold(RunSnapshot(), told)) == RewardWindow(told[:3]).value


def test_without_a_history_it_is_unknown() -> None:
    assert newest_reward(RunSnapshot()) == EpisodeReward(None, 0)
