"""Verdicts on profiles from a child process, remembered by content."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from rltui.tui.checks.child import run_child
from rltui.tui.checks.results import ProfileChecker
from tests.fakes import data_folder


class Child:
    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, command: Sequence[str]) -> bytes:
        paths = list(command[command.index("--json") + 1 :])
        self.asked.append([Path(path).stem for path in paths])
        return data_folder.check_child(list(command))


@pytest.fixture
def profiles(tmp_path: Path) -> list[Path]:
    data_folder.write_profiles(tmp_path)
    return sorted((tmp_path / "profiles").glob("*.toml"))


def test_one_child_judges_all_that_is_new(profiles: list[Path]) -> None:
    child = Child()
    checker = ProfileChecker(child)
    assert checker.known(profiles[0]) is None
    verdicts = checker.check(profiles)
    assert [verdicts[path].valid for path in profiles] == [True, True, False]
    problem = verdicts[profiles[2]].errors[0]
    assert (problem.line, problem.key, problem.hint) == (14, "rewards.touch.weigth", 'did you mean "weight"?')
    summary = verdicts[profiles[0]].summary
    assert summary is not None
    assert (summary.memory_mb, summary.rewards["touch"]) == (612.0, 1.0)
    checker.check(profiles)
    assert child.asked == [["ball-touching", "bronze-skills", "my-bot"]]
    profiles[2].write_text("schema = 1\n# mended\n", encoding="utf-8")
    assert checker.known(profiles[2]) is None
    checker.check(profiles)
    assert child.asked[1:] == [["my-bot"]]


@pytest.mark.parametrize("answer", [b"", b"no json", b"[]", b'{"profiles": 3}'])
def test_a_child_that_answers_nonsense_is_a_problem_and_no_crash(profiles: list[Path], answer: bytes) -> None:
    verdicts = ProfileChecker(lambda command: answer).check(profiles[:2])
    for path in profiles[:2]:
        assert not verdicts[path].valid
    assert "could not be checked" in verdicts[profiles[1]].errors[0].message


def test_a_child_that_fails_says_its_last_line(profiles: list[Path]) -> None:
    def fails(command: Sequence[str]) -> bytes:
        raise subprocess.TimeoutExpired(list(command), 60)

    assert "timed out" in ProfileChecker(fails).check(profiles[:1])[profiles[0]].errors[0].message


def test_running_a_child() -> None:
    assert run_child([sys.executable, "-c", "print('[]'); raise SystemExit(2)"]) == b"[]\n"
    with pytest.raises(OSError, match="no such module"):
        run_child([sys.executable, "-c", "raise SystemExit('no such module')"])


def test_the_real_child_understands_the_question(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text("schema = 1\nlabel = 'Tiny'\n[rewards]\ntouch = 1.0\n", encoding="utf-8")
    bad.write_text("schema = 1\nlabel = 'Tiny'\n[rewards]\ntuch = 1.0\n", encoding="utf-8")
    verdicts = ProfileChecker().check([good, bad])
    assert verdicts[good].valid, verdicts[good].errors
    assert verdicts[good].signature is not None
    summary = verdicts[good].summary
    assert summary is not None
    assert summary.actions == 90
    assert msgspec.to_builtins(summary)["rewards"] == {"touch": 1.0}
    assert [(problem.line, problem.key) for problem in verdicts[bad].errors] == [(4, "rewards.tuch")]
