"""Rewards as rows: shares, changes and orders against arithmetic by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pytest

from rltui.events.episode_reward import EPISODES, REWARD, newest_window
from rltui.events.records import RunStarted
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.rewards import newest_reward
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.pane import View
from rltui.tui.panes.rewards import RewardsPane, ordered, rows_of, weight_marks
from rltui.tui.text import plain
from tests.fakes import run_story
from tests.fakes.drawn_panes import with_metrics

METRICS = {
    "reward/touch": 24.0,
    "reward/concede": -6.0,
    "reward/in_air": None,
    REWARD: 18.0,
    EPISODES: 100.0,
    "weight/touch": 2.5,
}
HEADER = msgspec.structs.replace(run_story.header(), reward_weights={"touch": 1.0, "concede": -10.0})
SNAPSHOT = RunSnapshot(metrics=METRICS, header=HEADER, history=History().extended([(1, METRICS)]))
PARTS = newest_reward(SNAPSHOT).parts


def history(rows: int) -> History:
    """touch is 1 but for the newest 50 rows, where it is 3; before them, a hundred episodes have ended with METRICS."""
    touch = (3.0 if row > rows - 50 else 1.0 for row in range(2, rows + 1))
    later = ((row, {"reward/touch": value, "reward/concede": 0.0}) for row, value in enumerate(touch, 2))
    return History().extended([(1, METRICS), *later])


def test_figures_and_shares_are_over_the_newest_hundred_episodes() -> None:
    """Two to ten episodes an iteration: those of one alone jump about."""
    noise = random.Random(7)
    told = []
    for index in range(1, 61):
        touch, speed = noise.gauss(10, 6), noise.gauss(5, 3)
        metrics: dict[str, float | None] = {"reward/touch": touch, "reward/speed": speed, REWARD: touch + speed}
        metrics[EPISODES] = noise.randint(2, 10)
        told.append(msgspec.structs.replace(run_story.iteration(index), metrics=metrics))
    shares, of_one = [], []
    for end in range(40, 61):
        snapshot = fold(RunSnapshot(), [run_story.header(), *told[:end]])
        reward = newest_reward(snapshot)
        rows = {row.name: row for row in rows_of(snapshot, reward.parts)}
        assert reward == newest_window(told[:end]).value and 100 <= reward.episodes < 110
        assert sum(reward.parts.values()) == pytest.approx(reward.mean)
        shares.append(rows["touch"].share or 0.0)
        touch, speed = (abs(told[end - 1].metrics[key] or 0.0) for key in ("reward/touch", "reward/speed"))
        of_one.append(touch / (touch + speed))
    assert max(shares) - min(shares) < 0.15 < max(of_one) - min(of_one)
    view = View(snapshot, 0.0)
    assert f"over {reward.episodes} episodes" in RewardsPane().subtitle(view)
    assert f"{reward.mean:+.2f}" in plain(RewardsPane().draw(view, 60, 8))


def test_they_stay_while_no_episode_ends_and_begin_anew_with_a_task() -> None:
    none: dict[str, float | None] = {"reward/touch": None, REWARD: None, EPISODES: 0}
    ended: dict[str, float | None] = {"reward/touch": 24.0, REWARD: 24.0, EPISODES: 8}
    history = History().extended([(100, ended), (200, none), (300, none)])
    snapshot = RunSnapshot(metrics={**none, "weight/touch": 2.5}, history=history)
    assert "+24.00" in plain(RewardsPane().draw(View(snapshot, 0.0), 60, 8))
    began = replace(snapshot, tasks=(run_story.phase_changed(0.0, 100),))
    assert "24" not in plain(RewardsPane().draw(View(began, 0.0), 60, 8))
    other = replace(
        snapshot,
        history=history.extended([(400, {"reward/touch": None, "reward/goal": 1.0, REWARD: 1.0, EPISODES: 3})]),
    )
    assert newest_reward(other).parts == {"goal": 1.0}


def test_shares_leave_signs_aside_and_sum_to_one() -> None:
    rows = {row.name: row for row in rows_of(SNAPSHOT, PARTS)}
    assert (rows["touch"].share, rows["concede"].share, rows["in_air"].share) == (0.8, 0.2, None)
    assert (rows["touch"].weight, rows["concede"].weight) == (2.5, -10.0)
    assert (rows["touch"].profile, rows["concede"].profile, rows["in_air"].weight) == (1.0, -10.0, None)


def test_the_change_is_the_one_that_the_verdict_judges() -> None:
    rows = {row.name: row for row in rows_of(replace(SNAPSHOT, history=history(300)), PARTS)}
    found = rows["touch"].change
    assert found is not None and (round(found.by, 1), found.is_sure, rows["in_air"].change) == (1.9, True, None)


def test_orders() -> None:
    rows = rows_of(replace(SNAPSHOT, header=replace_names(["in_air", "concede", "touch"])), PARTS)
    assert [[row.name for row in ordered(rows, order)] for order in (0, 1, 3)] == [
        ["touch", "concede", "in_air"],
        ["in_air", "concede", "touch"],
        ["concede", "in_air", "touch"],
    ]
    changed = rows_of(replace(SNAPSHOT, history=history(200)), PARTS)
    assert ordered(changed, 2)[0].name == "touch"


def replace_names(names: list[str]) -> RunStarted:
    return msgspec.structs.replace(run_story.header(), reward_names=names)


def test_marks_are_those_of_this_reward_s_weight() -> None:
    marks = (
        ChartMark(1, "changed", "reward touch 2", "reward touch"), ChartMark(2, "changed", "reward touch air 2", "reward touch air"),
        ChartMark(3, "changed", "whatever it is called", "reward touch"), ChartMark(4, "task", "phase-2"),
        ChartMark(5, "milestone", "reward touch"), ChartMark(6, "changed", "learning rate 1e-4", "learning rate"),
    )  # fmt: skip
    assert weight_marks(RunSnapshot(marks=marks), "touch") == [1, 3, 4]


def test_a_wide_pane_has_weight_change_and_curve() -> None:
    snapshot = replace(SNAPSHOT, history=history(300))
    head, first, *_ = plain(RewardsPane().draw(View(snapshot, 0.0), 110, 5)).split("\n")
    assert head.split("  ")[0] == " reward"
    assert head.endswith("mean share weight   change in 150 it.  the whole run")
    for title, figure in ("mean", "+24.00"), ("share", "80 %"), ("weight", "×2.5"):
        assert head.index(title) + len(title) == first.index(figure) + len(figure)
    text = plain(RewardsPane().draw(View(snapshot, 0.0), 110, 8))
    assert "×2.5" in text
    assert "×-10" in text and text.split("in_air")[1].split()[2] == "–", "not known"
    assert "+1.91" in text


def test_the_selected_one_s_curve_stands_below() -> None:
    pane = RewardsPane()
    view = View(replace(SNAPSHOT, history=history(200)), 0.0)
    assert "touch" in plain(pane.draw(view, 40, 14)).split("\n")[7]
    pane.cursor = 1
    assert "concede" in plain(pane.draw(view, 40, 14)).split("\n")[7]
    pane.alone = True
    lines = plain(pane.draw(view, 40, 14)).split("\n")
    assert "concede" in lines[0]
    assert "concede" in lines[1]
    assert len(lines) == 14
    assert "touch" not in plain(pane.draw(view, 40, 14))
    assert "A curve needs 6 rows, here are 5" in " ".join(plain(pane.draw(view, 40, 5)).split())


def test_a_chart_for_each_where_there_is_room(subtests: pytest.Subtests) -> None:
    for width in (20, 33, 44, 61, 90, 140):
        with subtests.test(width=width):
            view = View(replace(SNAPSHOT, history=history(200)), 0.0)
            lines = RewardsPane().draw(view, width, 40)
            assert len(lines) <= 40
            if width >= 90:
                assert all(name in plain(lines[6:]) for name in ("touch", "concede", "in_air"))


def test_rewards_show_signs_and_their_sum() -> None:
    weights = {"weight__touch": 5.0, "weight__concede": -1.0}
    paid = {"reward__touch": 24.0, "reward__concede": -6.0, "reward__in_air": None}
    view = with_metrics(**paid, **weights, rollout__policy_reward=18.0)
    assert plain(RewardsPane().draw(view, 43, 6)) == "\n".join(
        [
            " reward                   mean share weight",
            " touch      ━━━━━━━━━━━ +24.00▲ 80 %     ×5",
            " concede ━━━             -6.00  20 %    ×-1",
            " in_air                      –     –  ×0.05",
            "───────────────────────────────────────────",
            " reward / episode       +18.00",
        ]
    )
    assert "─" not in plain(RewardsPane().draw(view, 42, 5)), "the rule makes room for the headings"


def test_rewards_that_do_not_fit_scroll_above_their_sum() -> None:
    many = {f"reward__r{index}": float(index) for index in range(1, 10)}
    pane = RewardsPane()
    lines = plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")
    assert [line[1:3] for line in lines[1:5]] == ["r9", "r8", "r7", "r6"]
    assert lines[0].split() == ["reward", "mean", "share", "weight"]
    assert lines[5].startswith(" reward / episode")
    pane.cursor = 8
    assert plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")[4].startswith(" r1")
