"""A start with other weights than before: marked, so that nobody compares across it; a schedule's course is not."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from rltui.events.records import Record, RunResumed, SettingChanged
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.run_state.symptoms import broken_at
from rltui.run_state.verdict import with_findings
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain
from tests.fakes import run_story

ROWS = 4
LAST = run_story.iteration(ROWS).timesteps


def trained(weights: Mapping[str, float], **in_rows: float) -> list[Record]:
    """A run with these weights; in_rows: those that stand in its rows, for they are not as the profile has them."""
    rows = [run_story.iteration(number) for number in range(1, ROWS + 1)]
    told = {f"weight/{name}": weight for name, weight in in_rows.items()}
    header = msgspec.structs.replace(run_story.header(), reward_weights=dict(weights))
    return [header, *(msgspec.structs.replace(row, metrics=row.metrics | told) for row in rows)]


def again(
    weights: Mapping[str, float], timesteps: int = LAST, by_hand: Mapping[str, float] | None = None
) -> list[Record]:
    header = msgspec.structs.replace(
        run_story.header(), timesteps=timesteps, reward_weights=dict(weights), by_hand=dict(by_hand or {})
    )
    return [header, RunResumed(time=header.time, timesteps=timesteps, checkpoint="c", reason="newest")]


def by_hand(weight: float) -> SettingChanged:
    return SettingChanged(time=run_story.START, timesteps=1, setting="reward touch", value=weight, by="ada")


def marked(*records: Record) -> list[ChartMark]:
    """Changes that a start has marked."""
    marks = fold(RunSnapshot(), records).marks
    return [mark for mark in marks if mark.kind == "changed" and mark.timesteps > 1]


def test_edited_weights_are_marked_where_they_begin() -> None:
    records = [*trained({"touch": 1.0, "goal": 10.0}), *again({"touch": 5.0, "goal": 10.0})]

    assert marked(*records) == [ChartMark(LAST, "changed", "reward touch 5", "reward touch")]
    assert broken_at(fold(RunSnapshot(), records).marks) == LAST


def test_going_back_marks_where_it_goes_on() -> None:
    back = run_story.iteration(2).timesteps

    assert marked(*trained({"touch": 1.0}), *again({"touch": 5.0}, back)) == [
        ChartMark(back, "changed", "reward touch 5", "reward touch")
    ]


def test_what_is_no_edit_is_not_marked(subtests: pytest.Subtests) -> None:
    for records in (
        [*trained({"touch": 1.0}), *again({"touch": 1.0})],
        [*trained({}), *again({"touch": 5.0})],
        [*trained({"touch": 1.0}), *again({"other": 5.0})],
        [*trained({"touch": 1.0}, touch=0.52), *again({"touch": 0.5})],
        [
            *trained({"touch": 1.0}, touch=2.0)[:1],
            by_hand(2.0),
            *trained({"touch": 1.0}, touch=2.0)[1:],
            *again({"touch": 1.0}, by_hand={"reward touch": 2.0}),
        ],
        [msgspec.structs.replace(run_story.header(), reward_weights={"touch": 1.0}), *again({"touch": 1.0}, 0)],
    ):
        with subtests.test(records=records):
            assert marked(*records) == []


def test_a_weight_by_hand_that_a_start_forgets_is_marked() -> None:
    first, *rows = trained({"touch": 1.0}, touch=2.0)

    assert marked(first, by_hand(2.0), *rows, *again({"touch": 1.0})) == [
        ChartMark(LAST, "changed", "reward touch 1", "reward touch")
    ]


def test_the_verdict_begins_there_from_the_start_on_and_stays_so() -> None:
    """Before the journal's first row of the new start, and with every one after it, judged each time."""
    rows = 105  # within a block of ten
    last = run_story.iteration(rows).timesteps
    rewards = [30.0 if number < 60 else 5.0 for number in range(1, rows + 1)] + [44.0] * 59
    told = [run_story.iteration(number) for number in range(1, len(rewards) + 1)]
    told = [
        msgspec.structs.replace(row, metrics={**row.metrics, "rollout/policy_reward": reward})
        for row, reward in zip(told, rewards, strict=True)
    ]
    first = msgspec.structs.replace(run_story.header(), reward_weights={"touch": 1.0})
    snapshot, pane = with_findings(fold(RunSnapshot(alive=True), [first, *told[:rows]])), StatusPane()

    def line() -> str:
        return plain(pane.draw(View(snapshot, run_story.now_of(snapshot.history.length)), 160, 3)[2:])

    assert "falling" in line()
    snapshot = with_findings(fold(snapshot, again({"touch": 5.0}, last)))
    assert "it takes 60 iterations since the rewards changed, 0 are done" in line()
    for done, row in enumerate(told[rows:], start=1):
        snapshot = with_findings(fold(snapshot, [row]))
        assert f"since the rewards changed, {done} are done" in line()
