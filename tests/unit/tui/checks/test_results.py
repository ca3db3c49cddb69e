"""Verdicts on profiles from a child process count as long as nothing that they rest on has changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from rltui.tui.checks.results import (
    ProfileChecker,
    content_key,
    resolved_changes,
)
from tests.fakes import data_folder

PROFILE = """\
schema = 1
[rewards]
"mine/touch.py:Touch" = 1
[actions]
table = "{table}"
"""


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "touch.py").write_text("class Touch: ...")
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "rows.csv").write_text("0\n")
    path = tmp_path / "profiles" / "my.toml"
    path.write_text(PROFILE.format(table="rows.csv"))
    return path


def changed_by(path: Path, named: str) -> bool:
    """Whether the key is another one once more stands in a file that the profile names."""
    before = content_key(path)
    with Path(named).open("a") as file:
        file.write("# \n")
    return content_key(path) != before


def test_the_key_changes_with_the_profile_and_each_file_that_it_or_its_phases_name(profile: Path) -> None:
    campaign = profile.with_name("campaign.toml")
    campaign.write_text('[curriculum]\nphases = [{profile = "my.toml"}, {profile = "campaign.toml"}]\n')
    assert content_key(profile) == content_key(profile) != ""
    for name in ("mine/touch.py", "profiles/rows.csv", "profiles/my.toml"):
        assert changed_by(profile, name) and changed_by(campaign, name), name


def test_a_module_and_what_a_file_may_import_count_too(profile: Path) -> None:
    Path("mine/common.py").write_text("")
    Path("parts").mkdir()
    Path("parts/near.py").write_text("")
    profile.write_text(profile.read_text() + '[rewards]\n"parts.near:Near" = 1\n')
    for name in ("parts/near.py", "mine/common.py"):
        assert changed_by(profile, name), name


def test_a_file_that_goes_or_comes_changes_it_too(profile: Path) -> None:
    before = content_key(profile)
    Path("mine/touch.py").unlink()
    gone = content_key(profile)
    Path("mine/touch.py").write_text("class Touch: ...")
    assert before != gone != content_key(profile)


def test_the_same_length_written_later_is_another_file(profile: Path) -> None:
    before = content_key(profile)
    about = Path("mine/touch.py").stat()
    os.utime("mine/touch.py", ns=(about.st_atime_ns, about.st_mtime_ns + 1_000_000))
    assert content_key(profile) != before


def test_another_length_written_at_the_same_time_is_another_file(profile: Path) -> None:
    before, about = content_key(profile), Path("mine/touch.py").stat()
    Path("mine/touch.py").write_text("class Touch: pass")
    os.utime("mine/touch.py", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert content_key(profile) != before


def test_what_lies_in_the_home_folder_counts_too(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = profile.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    (home / "phase.toml").write_text('a = "~/reward.py"')
    (home / "reward.py").write_text("class Touch: ...")
    profile.write_text('a = "~/phase.toml"')
    for name in ("reward.py", "phase.toml"):
        assert changed_by(profile, str(home / name)), name


def test_what_cannot_be_read_has_no_key_and_what_is_named_so_is_only_looked_at(profile: Path) -> None:
    pipe = profile.with_name("pipe.toml")
    os.mkfifo(pipe)
    assert content_key(pipe) == content_key(profile.with_name("absent.toml")) == ""
    profile.with_name("folder.toml").mkdir()
    profile.write_text('a = "folder.toml"\nb = "pipe.toml"')
    assert content_key(profile) == content_key(profile) != ""
    profile.write_bytes(b'a = "~nobody-here/x.py"\nb = "\\u0000.py"\nc = "\xff.py"\nd = "' + b"x" * 290 + b'.py"\n')
    assert content_key(profile)


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


def test_a_child_that_answers_nonsense_is_a_problem_and_no_crash(profiles: list[Path]) -> None:
    for answer in (b"", b"no json", b"[]", b'{"profiles": 3}'):
        verdicts = ProfileChecker(lambda command, answer=answer: answer).check(profiles[:2])  # type: ignore[misc]
        assert not any(verdict.valid for verdict in verdicts.values()), answer
        assert "could not be checked" in verdicts[profiles[1]].errors[0].message


def test_a_child_that_fails_says_its_last_line(profiles: list[Path]) -> None:
    def fails(command: Sequence[str]) -> bytes:
        raise subprocess.TimeoutExpired(list(command), 60)

    assert "timed out" in ProfileChecker(fails).check(profiles[:1])[profiles[0]].errors[0].message


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


def test_a_child_that_says_nothing_is_told_of() -> None:
    def fails(command: object) -> bytes:
        raise OSError("no such child")

    assert resolved_changes(Path("a"), Path("b"), fails) == "the profiles could not be compared: no such child"
    assert "could not be compared" in str(resolved_changes(Path("a"), Path("b"), lambda command: b"{"))
