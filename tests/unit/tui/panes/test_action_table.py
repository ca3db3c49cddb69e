"""The action table's pane: findings, what is chosen, the child that examines it."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from rltui.run_state.fold import fold
from rltui.tui.checks.results import TableChecker
from rltui.tui.panes.action_table import BOOST, STEER, ActionTablePane, TableUsage, sides, warnings
from tests.fakes import figure_stories
from tests.fakes.drawn_panes import STORY, drawn
from tests.fakes.figure_stories import COUNTS, ROWS, verdict

USED = fold(STORY, [figure_stories.table_used()])


def lut_pane(table_hash: str = figure_stories.HASH, outcome: str = "pass") -> ActionTablePane:
    pane = ActionTablePane()
    pane.verdict = figure_stories.verdict(table_hash, outcome)
    return pane


def test_lut_says_first_what_should_not_be_so() -> None:
    lines = drawn(lut_pane(), USED).split("\n")
    assert lines[0].startswith("! turns left 4.0 %, right 31 %")
    assert "table" not in lines[0], "of which the next line says that it passes"
    assert "✓ the table passes: 2 of 2 checks; the table mine.csv" in lines
    assert "rows     5 of 6 chosen, 1 never" in lines
    assert "sides    turns left 4 %, right 31 %" in lines
    assert "buttons  jump 5 % · boost 35 % · handbrake 0 %" in lines
    first = next(line for line in lines if "full throttle" in line)
    assert first.split() == ["0", "50.00", "%", "500", "k", "full", "throttle"]
    wide = next(line for line in drawn(lut_pane(), USED, 100).split("\n") if "full throttle" in line)
    assert wide.split()[3] == "━" * 12, "there is room for a bar too"
    assert lines[-1].split()[:2] == ["5", "0"] and lines[-1].endswith("(never)")


def test_lut_by_row() -> None:
    pane = lut_pane()
    pane.by_use = False
    rows = [line.split()[0] for line in drawn(pane, USED).split("\n")[-6:]]
    assert rows == ["0", "1", "2", "3", "4", "5"]


def test_lut_sums_a_long_table_no_more_often_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sums: list[TableUsage] = []

    def total(use: TableUsage) -> int:
        sums.append(use)
        return sum(use.counts)

    monkeypatch.setattr(TableUsage, "total", property(total))
    often = []
    for rows in (60, 600):
        drawn(lut_pane(), fold(STORY, [figure_stories.table_used((500,) * rows)]))
        often.append(len(sums))
        sums.clear()
    assert often[0] == often[1] > 0


def test_lut_says_whose_entropy_is_whose() -> None:
    """Twice 3 rows, sure each time: ln 6 together, and 0 for one decision."""
    metrics = {**STORY.metrics, "train/entropy": 0.02}
    together = fold(replace(STORY, metrics=metrics), [figure_stories.table_used((500,) * 6)])
    text = " ".join(drawn(lut_pane(), together).split())
    assert "1.79 of 1.79 nats, like 6 rows" in text and "one decision 0.02" in text
    unknown = fold(replace(STORY, metrics={}), [figure_stories.table_used()])
    assert "one decision – (mean of the newest update" in " ".join(drawn(lut_pane(), unknown).split())


def test_lut_findings_stand_above_the_figures() -> None:
    lines = drawn(lut_pane(outcome="fail"), USED).split("\n")
    assert "✗ no row boosts and turns left: the bot could only turn slowly" in lines
    assert any(line.startswith("✗ the table fails") for line in lines)


def test_lut_tells_a_table_that_is_another_one_than_the_run_s() -> None:
    pane = lut_pane(table_hash="beef" * 16)
    text = drawn(pane, USED)
    assert "✗ the profile's table has changed: c0ffeec0ffee in the run" in " ".join(text.split())
    assert "full throttle" not in text, "the words of another table would be a lie"
    pane.of_run = figure_stories.verdict()
    assert "full throttle, right, boost" in drawn(pane, USED), "those of the checkpoint's table are none"


def test_lut_while_nothing_is_known() -> None:
    text = drawn(ActionTablePane(), STORY)
    assert "checking the table" in text
    assert "How often each row" in text
    pane = ActionTablePane()
    pane.verdict = replace_problem("the table could not be examined: no such profile")
    assert "! the table could not be examined: no such profile" in drawn(pane, USED)


def replace_problem(problem: str) -> object:
    return msgspec.structs.replace(figure_stories.verdict(), problem=problem, words=[], controls=[])


USE = TableUsage(COUNTS)


def test_shares_by_hand() -> None:
    assert USE.total == 1_000_000
    assert USE.share(0) == 0.5
    assert USE.dead == 1
    assert USE.held(ROWS, STEER, -1) == 0.04
    assert USE.held(ROWS, STEER, 1) == 0.31
    assert USE.held(ROWS, BOOST, 1) == pytest.approx(0.35)
    assert sides(USE, ROWS) == [("turns", "left", 0.04, "right", 0.31)]
    assert USE.order(by_use=True) == [0, 2, 3, 4, 1, 5]
    assert USE.order(by_use=False) == [0, 1, 2, 3, 4, 5]


def test_entropy_is_ln_n_where_all_are_alike() -> None:
    assert TableUsage((7,) * 90).entropy == pytest.approx(math.log(90))
    assert TableUsage((0, 9, 0)).entropy == 0
    assert TableUsage((1, 3)).entropy == pytest.approx(0.25 * math.log(4) + 0.75 * math.log(4 / 3))


def test_before_the_first_choice_nothing_is_known() -> None:
    use = TableUsage((0, 0))
    assert (use.share(0), use.entropy, use.held(((0,) * 8, (0,) * 8), STEER, 1)) == (None, None, None)
    assert list(warnings(use, [])) == []


def test_what_should_not_be_so_is_said() -> None:
    assert next(warnings(USE, ROWS)).startswith("turns left 4.0 %, right 31 %")
    assert list(warnings(TableUsage((500_000, 150_000, 300_000, 50_000, 0, 0)), ROWS)) == [], (
        "half as often is no case for a warning"
    )
    assert list(warnings(TableUsage(tuple(count // 100 for count in COUNTS)), ROWS)) == [], (
        "a new bot leans to one side"
    )
    assert "row 0 is 97 % of all choices" in next(warnings(TableUsage((970_000, 10_000, 10_000, 10_000, 0, 0)), ROWS))
    assert "4 of 6 rows never chosen" in list(warnings(TableUsage((500_000, 500_000, 0, 0, 0, 0)), []))[-1]


def test_controls_of_another_table_are_not_used() -> None:
    assert USE.held(ROWS[:3], STEER, 1) is None


class Child:
    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, command: Sequence[str]) -> bytes:
        assert list(command[1:4]) == ["-m", "rltui", "lut"] and command[-1] == "--json"
        self.asked.append(command[4])
        return self.answer


def test_one_child_for_each_content(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("schema = 1\n")
    child = Child(msgspec.json.encode(verdict()))
    checker = TableChecker(child)
    assert checker.check(file) == checker.check(file) == verdict()
    assert child.asked == [str(file)]
    (table := tmp_path / "mine.csv").write_text("1")
    file.write_text('schema = 1\n[actions]\ntable = "mine.csv"\n')
    checker.check(file)
    table.write_text("1,2")  # what it names counts too
    checker.check(file)
    assert len(child.asked) == 3
    child.answer = b""
    checker.check(tmp_path / "no answer.toml")
    checker.check(tmp_path / "no answer.toml")
    assert len(child.asked) == 5


def test_nonsense_is_a_problem_and_no_crash(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for answer in (b"", b"no json", b"[]"):
        with subtests.test(answer=answer):
            assert "could not be examined" in TableChecker(Child(answer)).check(tmp_path / "run.toml").problem


def test_a_child_that_hangs_is_a_problem(tmp_path: Path) -> None:
    def hang(command: Sequence[str]) -> bytes:
        raise subprocess.TimeoutExpired(command, 60)

    assert "timed out" in TableChecker(hang).check(tmp_path / "run.toml").problem


def test_the_real_child_speaks_the_same(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("schema = 1\n[rewards]\ntouch = 1\n")
    found = TableChecker().check(file)
    assert (found.problem, found.outcome, len(found.words), len(found.controls)) == ("", "pass", 90, 90)
    assert found.words[found.controls.index([1, -1, 0, -1, 0, 0, 1, 0])] == "full throttle, left, boost"
    missing = TableChecker().check(tmp_path / "nothing.toml")
    assert "no such profile" in missing.problem
