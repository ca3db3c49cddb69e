"""Rewards in the cockpit: of the last episodes, while mostly short ones have ended, and of runs that are paid differently."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from rltui.events.episode_reward import (
    EPISODES,
    FIRST_EPISODES,
    REWARD,
    SHORT_SO_FAR,
    EpisodeReward,
    RewardWindow,
    newest_window,
)
from rltui.events.records import IterationFinished, Record, RunResumed, RunStarted
from rltui.profile.changes import KeyChange
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.rewards import (
    differences_line,
    newest_reward,
    settled_row,
    settling,
    weight_differences,
    weights_in_row,
)
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.verdict import verdict, with_findings
from rltui.runs.inventory import CheckpointInfo
from rltui.tui.browser.compare import CheckpointComparison, rewards_apart
from rltui.tui.browser.compare_curves import Curves
from rltui.tui.panes.chart_header import head_lines
from rltui.tui.panes.chart_view import Charting, ChartScene
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain
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
            assert found.parts == pytest.approx(expected.parts)


def test_an_iteration_of_unknown_episodes_counts_for_nothing() -> None:
    told = [*ROWS[:3], msgspec.structs.replace(ROWS[3], metrics={**ROWS[3].metrics, "rollout/episodes": None})]
    assert newest_reward(fold(RunSnapshot(), told)) == RewardWindow(told[:3]).value


def test_without_a_history_it_is_unknown() -> None:
    assert newest_reward(RunSnapshot()) == EpisodeReward(None, 0)


BEFORE, AFTER = 200, 60  # iterations before and after a resume


def row(index: int, reward: float, first: float | None) -> IterationFinished:
    known = run_story.iteration(index)
    told = {REWARD: reward, EPISODES: 5, **({FIRST_EPISODES: first} if first is not None else {})}
    return msgspec.structs.replace(known, metrics={**known.metrics, **told})


def resumed(first: float | None) -> list[Record]:
    """A run that was flat at 10 and begins anew: the short episodes that end first bring 4. first: as the trainer says then."""
    noise = random.Random(5)
    rows: list[Record] = [row(index, 10 + noise.gauss(0, 0.3), 0.0) for index in range(1, BEFORE + 1)]
    head = run_story.header(timesteps=BEFORE * run_story.STEPS, time=run_story.START + 400)
    start = RunResumed(time=run_story.START + 400, timesteps=BEFORE * run_story.STEPS, checkpoint="", reason="")
    later = range(BEFORE + 1, BEFORE + AFTER + 1)
    rows += [head, start, *(row(index, 4 + noise.gauss(0, 0.3), first) for index in later)]
    return [*run_story.opening(), *rows]


def test_it_is_judged_from_this_start_under_the_present_rewards_once_long_episodes_have_ended() -> None:
    told = resumed(30.0)
    settles = [row(BEFORE + AFTER + index, 10.0, 0.5) for index in range(1, 31)]
    for records, first in ((told[:-AFTER], BEFORE), (told, BEFORE + AFTER), ([*told, *settles], BEFORE + AFTER)):
        snapshot = with_findings(fold(RunSnapshot(), records))
        assert snapshot.found.first == first and snapshot.found.trend is None
    words = verdict(with_findings(fold(RunSnapshot(), told)), run_story.START, heard=False).words
    assert words == SHORT_SO_FAR
    assert with_findings(fold(RunSnapshot(), resumed(0.0))).found.first == BEFORE
    assert with_findings(fold(RunSnapshot(), resumed(None))).found.first == BEFORE, "a journal that does not tell"


def test_settled_rows_are_those_in_which_one_arena_in_a_hundred_at_most_is_in_its_first_episode() -> None:
    history = History().extended(
        (index, {"a": index, FIRST_EPISODES: first}) for index, first in enumerate((0, 50, 1.1, 1, 0, 80))
    )
    assert [settled_row(history, start) for start in range(7)] == [0, 3, 3, 3, 4, 6, 6]
    assert settled_row(History().extended([(0, {"a": 1.0})]), 0) == 0


def test_the_cockpit_says_it_as_lists_do_and_only_for_so_long() -> None:
    for first, short in ((30.0, True), (1.0, False), (None, False)):
        told = resumed(first)
        snapshot = fold(RunSnapshot(run="alpha", alive=True), told)
        reward = newest_reward(snapshot)
        assert (reward.short, settling(snapshot)) == (short, short)
        assert newest_window(told).value == EpisodeReward(reward.mean, reward.episodes, short, reward.parts)
        text = plain(StatusPane().draw(View(snapshot, snapshot.record_time or 0.0), 120, 3))
        assert (SHORT_SO_FAR in text) == short


def rows(*metrics: dict[str, float | None]) -> History:
    return History().extended((index * 100, row) for index, row in enumerate(metrics, 1))


PLAIN = rows({"reward/touch": 1.0, "reward/goal": 0.5})
BY_HAND = rows(
    {"reward/touch": 1.0, "reward/goal": 0.5}, {"reward/touch": 1.0, "reward/goal": 0.5, "weight/touch": 5.0}
)


def test_a_weight_set_by_hand_and_a_reward_that_one_has_alone() -> None:
    assert weight_differences(weights_in_row(PLAIN, -1), weights_in_row(BY_HAND, -1)) == [
        "touch as in its profile → 5.00"
    ]
    assert weight_differences(weights_in_row(BY_HAND, 0), weights_in_row(BY_HAND, -1)) == [
        "touch as in its profile → 5.00"
    ]
    other = rows({"reward/touch": 1.0})
    assert weight_differences(weights_in_row(PLAIN, -1), weights_in_row(other, -1), ("alpha", "beta")) == [
        "goal: only alpha"
    ]
    assert weight_differences(weights_in_row(other, -1), weights_in_row(PLAIN, -1), ("alpha", "beta")) == [
        "goal: only beta"
    ]


def test_a_reward_that_is_measured_only_is_no_difference() -> None:
    paid = {"touch": 5.0}
    assert weight_differences({**paid, "height": 0.0}, {**paid}) == []
    assert weight_differences({**paid}, {**paid, "height": 1.0}) == ["height: only right"]


def test_the_same_and_the_unknown_are_no_difference() -> None:
    assert (
        weight_differences(weights_in_row(PLAIN, -1), weights_in_row(PLAIN, -1))
        == weight_differences(weights_in_row(BY_HAND, -1), weights_in_row(BY_HAND, -1))
        == []
    )
    assert weight_differences(weights_in_row(History(), -1), weights_in_row(PLAIN, -1)) == []
    assert differences_line([]) == ""


def test_weights_that_only_the_profile_gives_count_where_both_are_known() -> None:
    ours, theirs = {"touch": 1.0, "goal": 10.0}, {"touch": 1.0, "goal": 20.0}
    assert weight_differences(weights_in_row(PLAIN, -1, ours), weights_in_row(PLAIN, -1, theirs)) == [
        "goal 10.0 → 20.0"
    ]
    assert weight_differences(weights_in_row(PLAIN, -1, ours), weights_in_row(PLAIN, -1, ours)) == []
    by_hand_alike = {"touch": 5.0, "goal": 10.0}
    assert weight_differences(weights_in_row(BY_HAND, -1, ours), weights_in_row(PLAIN, -1, by_hand_alike)) == [], (
        "in force is what counts"
    )
    assert weight_differences(weights_in_row(BY_HAND, -1, ours), weights_in_row(BY_HAND, -1, by_hand_alike)) == []


def test_rewards_are_known_where_the_newest_iteration_ended_no_episode() -> None:
    quiet = rows({"reward/touch": 1.0, "weight/touch": 5.0}, {"reward/touch": None, "weight/touch": 6.0})
    assert weights_in_row(quiet, -1) == {"touch": 6.0}
    assert weights_in_row(rows({"reward/touch": None}), -1) == {}


def replaced(weights: dict[str, float], by_hand: dict[str, float] | None = None) -> RunStarted:
    return msgspec.structs.replace(run_story.header(), reward_weights=weights, by_hand=by_hand or {})


def test_the_charts_compare_what_is_in_force_in_both_runs() -> None:
    def scene(own: dict[str, float], their: dict[str, float]) -> ChartScene:
        snapshot = RunSnapshot(run="alpha", header=replaced(own), history=PLAIN)
        return ChartScene(snapshot, Charting(), "braille", OtherRun("beta", PLAIN, header=replaced(their)), False)

    def text(own: dict[str, float], their: dict[str, float]) -> str:
        return plain(head_lines(scene(own, their), 120))

    ours = {"touch": 1.0, "goal": 10.0}
    assert "rewards not comparable: goal 10.0 → 20.0" in text(ours, {"touch": 1.0, "goal": 20.0})
    assert "differ" not in text(ours, ours)
    assert "differ" not in text(ours, {}), "what an older journal does not tell is not guessed"


def test_many_are_counted() -> None:
    assert differences_line(["a", "b", "c", "d", "e"]) == "rewards not comparable: a, b, c and 2 more"


def test_two_saved_states_by_their_profiles_and_by_what_was_in_force() -> None:
    state = CheckpointInfo(Path("none"), None, None, None)
    changes = [KeyChange("rewards.goal.weight", "10.0", "20.0"), KeyChange("ppo.gamma", "0.99", "0.995")]
    by_profile = CheckpointComparison(state, state, changes)
    assert rewards_apart(by_profile) == ["goal.weight 10.0 → 20.0"]
    assert rewards_apart(CheckpointComparison(state, state, [], Curves(BY_HAND, PLAIN))) == [
        "touch as in its profile → 5.00"
    ]
    assert rewards_apart(CheckpointComparison(state, state, [], Curves(BY_HAND))) == ["touch as in its profile → 5.00"]
    assert rewards_apart(CheckpointComparison(state, state, "not readable", Curves(PLAIN, PLAIN))) == []


def test_the_charts_tell_what_is_set_by_hand_in_both_runs() -> None:
    def text(own: dict[str, float], their: dict[str, float]) -> str:
        snapshot = RunSnapshot(run="alpha", header=replaced({}, own), history=PLAIN)
        scene = ChartScene(snapshot, Charting(), "braille", OtherRun("beta", PLAIN, header=replaced({}, their)), False)
        return plain(head_lines(scene, 120))

    rates = text({"learning rate": 0.0005}, {"learning rate": 1.0, "entropy": 0.02})
    assert "set by hand: alpha learning rate 0.0005; beta learning rate 1, entropy coefficient 0.02" in rates
    assert "set by hand: beta entropy coefficient 0.02" in text({}, {"entropy": 0.02})
    assert "by hand" not in text({}, {})
    assert "by hand" not in text({}, {"reward touch": 2.0}), "that is told as a difference of what is paid"
