"""A snapshot's findings: looked for by the reader thread, where they can have changed and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rltui.events.records import Record, RunResumed, SettingChanged
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import BLOCK, Findings, needed
from rltui.run_state.verdict import with_findings
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain
from tests.fakes import run_story


def told(first: int, last: int) -> list[Record]:
    return [run_story.iteration(row) for row in range(first, last + 1)]


def grown(snapshot: RunSnapshot, records: Sequence[Record]) -> RunSnapshot:
    return with_findings(fold(snapshot, records))


def start(rows: int) -> RunSnapshot:
    return grown(RunSnapshot(run="alpha", alive=True), [*run_story.opening(), *told(1, rows)])


def test_a_run_that_nobody_has_judged_has_no_findings() -> None:
    assert fold(RunSnapshot(), told(1, 100)).found == Findings()


def test_few_iterations_are_looked_at_one_by_one() -> None:
    snapshot = start(needed() - 2)
    later = grown(snapshot, told(needed() - 1, needed() - 1))
    assert (snapshot.found.rows, later.found.rows) == (needed() - 2, needed() - 1)
    assert later.found.trend is None and grown(later, told(needed(), needed())).found.trend is not None


def test_many_are_looked_at_block_by_block() -> None:
    snapshot = start(100)
    within = grown(snapshot, told(101, 100 + BLOCK - 1))
    assert within.found is snapshot.found and with_findings(within) is within
    assert grown(within, told(100 + BLOCK, 100 + BLOCK)).found.rows == 100 + BLOCK


def test_a_change_by_hand_has_them_looked_for_again(subtests: pytest.Subtests) -> None:
    for setting in ("learning rate", "reward touch"):
        with subtests.test(setting=setting):
            change = SettingChanged(time=0.0, timesteps=101 * run_story.STEPS, setting=setting, value=2.0, by="ada")
            found = grown(start(104), [change]).found
            assert (found.rows, found.first) == (104, 101 if setting == "reward touch" else 0)


def test_a_resume_has_them_looked_for_again_and_nothing_points_at_rows_that_are_gone() -> None:
    back = RunResumed(time=0.0, timesteps=55 * run_story.STEPS, checkpoint="c", reason="newest")
    snapshot = grown(start(104), [back])
    assert snapshot.found.rows == 55 and snapshot.found.trend is None
    line = plain(StatusPane().draw(View(snapshot, 0.0), 120, 3)[2:])
    assert "it takes 60 iterations, 55 are done" in line


def test_a_resume_within_a_block_that_takes_a_mark_for_its_own_has_them_looked_for_again() -> None:
    saved = run_story.saved(103 * run_story.STEPS, 0.0, milestone=True)
    before = grown(start(102), [*told(103, 104), saved])
    back = RunResumed(time=0.0, timesteps=102 * run_story.STEPS, checkpoint="c", reason="newest")
    after = grown(before, [back])
    assert len(after.marks) == len(before.marks) and (before.found.rows, after.found.rows) == (104, 102)


class Watched(Sequence[float]):
    """A column that counts the rows asked of it."""

    def __init__(self, values: Sequence[float], read: list[int]) -> None:
        self._values, self._read = values, read

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        found = self._values[place]
        self._read.append(len(found) if isinstance(place, slice) else 1)
        return found


def test_no_picture_reads_the_history_for_them() -> None:
    """The snapshot has them: of 2,000 rows of each column the state above all panes reads the newest few."""
    snapshot, read = start(2000), list[int]()
    columns: Any = {key: Watched(column, read) for key, column in snapshot.history.columns.items()}
    watched = replace(snapshot, history=replace(snapshot.history, columns=columns))
    assert "reward" in plain(StatusPane().draw(View(watched, run_story.now_of(2000)), 120, 3)[2:])
    assert 0 < sum(read) < 100, "the speed's 20, a few single ones"
    with_findings(replace(watched, found=Findings()))
    assert sum(read) > 2000, "whoever looks for them reads all"
