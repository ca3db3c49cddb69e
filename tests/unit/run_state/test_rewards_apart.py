"""Two runs that are paid differently are said to be, by name and weight; what is not known is not guessed."""

from __future__ import annotations

import msgspec

from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.rewards import differences_line, weight_differences, weights_in_row
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.browser.compare import CheckpointComparison, rewards_apart
from rltui.tui.browser.compare_curves import Curves
from rltui.tui.browser.library import CheckpointRow
from rltui.tui.checks.results import KeyChange
from rltui.tui.panes.chart_header import head_lines
from rltui.tui.panes.chart_view import Charting, ChartScene
from rltui.tui.text import plain
from tests.fakes import run_story


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


def test_the_charts_compare_what_is_in_force_in_both_runs() -> None:
    def scene(own: dict[str, float], their: dict[str, float]) -> ChartScene:
        header = msgspec.structs.replace(run_story.header("alpha"), reward_weights=own)
        snapshot = RunSnapshot(run="alpha", header=header, history=PLAIN)
        return ChartScene(snapshot, Charting(), "braille", OtherRun("beta", PLAIN, weights=their), False)

    def text(own: dict[str, float], their: dict[str, float]) -> str:
        return plain(head_lines(scene(own, their), 6, 6, typing=False, width=120))

    ours = {"touch": 1.0, "goal": 10.0}
    assert "rewards differ, not comparable: goal 10.0 → 20.0" in text(ours, {"touch": 1.0, "goal": 20.0})
    assert "differ" not in text(ours, ours)
    assert "differ" not in text(ours, {}), "what an older journal does not tell is not guessed"


def test_many_are_counted() -> None:
    assert differences_line(["a", "b", "c", "d", "e"]) == "rewards differ, not comparable: a, b, c and 2 more"


def test_two_saved_states_by_their_profiles_and_by_what_was_in_force() -> None:
    state = CheckpointRow.__new__(CheckpointRow)
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
        header = msgspec.structs.replace(run_story.header("alpha"), by_hand=own)
        snapshot = RunSnapshot(run="alpha", header=header, history=PLAIN)
        scene = ChartScene(snapshot, Charting(), "braille", OtherRun("beta", PLAIN, by_hand=their), False)
        return plain(head_lines(scene, 6, 6, typing=False, width=120))

    rates = text({"learning rate": 0.0005}, {"learning rate": 1.0, "entropy": 0.02})
    assert "set by hand: alpha learning rate 0.0005; beta learning rate 1, entropy coefficient 0.02" in rates
    assert "set by hand: beta entropy coefficient 0.02" in text({}, {"entropy": 0.02})
    assert "by hand" not in text({}, {})
