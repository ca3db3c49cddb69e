"""Rewards as rows: shares, changes and orders against arithmetic by hand."""

from __future__ import annotations

from array import array
from dataclasses import replace

import msgspec
import pytest

from rltui.events.records import RunStarted
from rltui.run_state.history import History
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.pane import View
from rltui.tui.panes.rewards import RewardsPane, ordered, rows_of, weight_marks, with_newest_rewards
from rltui.tui.text import plain
from tests.fakes import run_story
from tests.fakes.drawn_panes import with_metrics

METRICS = {
    "reward/touch": 24.0,
    "reward/concede": -6.0,
    "reward/in_air": None,
    "rollout/policy_reward": 18.0,
    "weight/touch": 2.5,
}
SNAPSHOT = RunSnapshot(metrics=METRICS, header=run_story.header())


def history(rows: int) -> History:
    """touch is 1 but for the newest 50 rows, where it is 3."""
    values = array("d", (3.0 if row >= rows - 50 else 1.0 for row in range(rows)))
    return History(rows, array("d", range(1, rows + 1)), {"reward/touch": values})


def test_the_last_figures_stay_with_their_age_while_no_episode_ends() -> None:
    none: dict[str, float | None] = {"reward/touch": None, "rollout/policy_reward": None}
    rows: list[tuple[int, dict[str, float | None]]] = [
        (100, {"reward/touch": 24.0, "rollout/policy_reward": 18.0}),
        (200, none),
        (300, none),
    ]
    snapshot = RunSnapshot(metrics={**none, "weight/touch": 2.5}, history=History().extended(rows))
    paid, age = with_newest_rewards(snapshot)
    assert (age, [(row.value, row.weight) for row in rows_of(paid)]) == (2, [(24.0, 2.5)])
    pane = RewardsPane()
    assert "+24.00" in plain(pane.draw(View(snapshot, 0.0), 60, 8))
    assert "+18.00" in plain(pane.draw(View(snapshot, 0.0), 60, 8))
    assert "2 iterations ago" in pane.subtitle(View(snapshot, 0.0))
    one = replace(snapshot, history=History().extended(rows[:2]))
    assert "1 iteration ago" in pane.subtitle(View(one, 0.0))


def test_figures_of_an_ended_task_are_not_this_one_s() -> None:
    history = History().extended([(100, {"reward/touch": 24.0}), (200, {"reward/touch": None})])
    began = run_story.phase_changed(0.0, 100)
    snapshot = RunSnapshot(metrics={"reward/touch": None}, history=history, tasks=(began,))
    assert with_newest_rewards(snapshot) == (snapshot, 0)


def test_figures_of_other_rewards_are_not_this_start_s() -> None:
    """Begun with another profile: no task tells of it."""
    before, now = {"reward/touch": 24.0, "rollout/policy_reward": 24.0}, {"reward/touch": None, "reward/goal": None}
    more = RunSnapshot(metrics=now, history=History().extended([(100, before), (200, now)]))
    assert with_newest_rewards(more) == (more, 0)
    less = RunSnapshot(
        metrics={"reward/touch": None}, history=History().extended([(100, {**before, "reward/ball": 1.0})])
    )
    assert with_newest_rewards(less) == (less, 0)


def test_the_newest_figures_have_no_age() -> None:
    assert with_newest_rewards(SNAPSHOT) == (SNAPSHOT, 0)
    assert RewardsPane().subtitle(View(SNAPSHOT, 0.0)) == "[$muted]newest iteration[/]"


def test_shares_leave_signs_aside_and_sum_to_one() -> None:
    rows = {row.name: row for row in rows_of(SNAPSHOT)}
    assert (rows["touch"].share, rows["concede"].share, rows["in_air"].share) == (0.8, 0.2, None)
    assert (rows["touch"].weight, rows["concede"].weight) == (2.5, None)


def test_the_change_is_the_one_that_the_verdict_judges() -> None:
    rows = {row.name: row for row in rows_of(replace(SNAPSHOT, history=history(300)))}
    found = rows["touch"].change
    assert found is not None and (found.by, found.is_sure, rows["in_air"].change) == (2.0, True, None)


def test_orders() -> None:
    rows = rows_of(replace(SNAPSHOT, header=replace_names(["in_air", "concede", "touch"])))
    assert [[row.name for row in ordered(rows, order)] for order in (0, 1, 3)] == [
        ["touch", "concede", "in_air"],
        ["in_air", "concede", "touch"],
        ["concede", "in_air", "touch"],
    ]
    changed = rows_of(replace(SNAPSHOT, history=history(200)))
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
    assert head.endswith("/ episode share   weight   change in 150 it.  the whole run")
    for title, figure in ("/ episode", "+24.00"), ("share", "80 %"), ("weight", "×2.5"):
        assert head.index(title) + len(title) == first.index(figure) + len(figure)
    text = plain(RewardsPane().draw(View(snapshot, 0.0), 110, 8))
    assert "×2.5" in text
    assert "profile" in text
    assert "+2.00" in text


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
    view = with_metrics(reward__touch=24.0, reward__concede=-6.0, reward__in_air=None, rollout__policy_reward=18.0)
    assert plain(RewardsPane().draw(view, 42, 6)) == "\n".join(
        [
            " reward                    / episode share",
            " touch       ━━━━━━━━━━━━━━   +24.00▲ 80 %",
            " concede ━━━━                  -6.00  20 %",
            " in_air                            –     –",
            "──────────────────────────────────────────",
            " reward / episode             +18.00",
        ]
    )
    assert "─" not in plain(RewardsPane().draw(view, 42, 5)), "the rule makes room for the headings"


def test_rewards_that_do_not_fit_scroll_above_their_sum() -> None:
    many = {f"reward__r{index}": float(index) for index in range(1, 10)}
    pane = RewardsPane()
    lines = plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")
    assert [line[1:3] for line in lines[1:5]] == ["r9", "r8", "r7", "r6"]
    assert lines[0].split()[:4] == ["reward", "/", "episode", "share"]
    assert lines[5].startswith(" reward / episode")
    pane.cursor = 8
    assert plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")[4].startswith(" r1")
