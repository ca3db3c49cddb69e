"""What is chosen from a table, and the child that examines it."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from rltui.tui.checks.results import TableChecker
from rltui.tui.panes.action_table import BOOST, STEER, TableUsage, sides, warnings
from tests.fakes.figure_stories import COUNTS, ROWS, verdict

USE = TableUsage(COUNTS)


def test_shares_by_hand() -> None:
    assert USE.total == 10_000
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
    assert next(warnings(USE, ROWS)).startswith("turns left 4.0 %, right 31 %: it leans to one side")
    assert list(warnings(TableUsage((5_000, 1_500, 3_000, 500, 0, 0)), ROWS)) == [], (
        "half as often is no case for a warning"
    )
    assert list(warnings(TableUsage(tuple(count // 100 for count in COUNTS)), ROWS)) == [], "100 choices say nothing"
    assert "row 0 is 97 % of all choices" in next(warnings(TableUsage((9_700, 100, 100, 100, 0, 0)), ROWS))
    assert "4 of 6 rows were never chosen" in list(warnings(TableUsage((500, 500, 0, 0, 0, 0)), []))[-1]


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
    file.write_text("schema = 1\n# other\n")
    checker.check(file)
    checker.check(file, again=True)
    assert len(child.asked) == 3


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
