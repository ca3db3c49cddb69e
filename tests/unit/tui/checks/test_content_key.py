"""A verdict on a profile counts as long as nothing that it rests on has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rltui.tui.checks.results import content_key

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


def test_it_stays_while_nothing_changes(profile: Path) -> None:
    assert content_key(profile) == content_key(profile) != ""


@pytest.mark.parametrize("name", ["mine/touch.py", "profiles/rows.csv", "profiles/my.toml"])
def test_it_changes_with_the_profile_and_each_file_that_it_names(profile: Path, name: str) -> None:
    before = content_key(profile)
    with Path(name).open("a") as file:
        file.write("# \n")
    assert content_key(profile) != before


@pytest.mark.parametrize("name", ["mine/touch.py", "profiles/rows.csv", "profiles/my.toml"])
def test_what_the_phases_of_a_campaign_name_counts_too(profile: Path, name: str) -> None:
    campaign = profile.with_name("campaign.toml")
    campaign.write_text('[curriculum]\nphases = [{profile = "my.toml"}, {profile = "campaign.toml"}]\n')
    before = content_key(campaign)
    with Path(name).open("a") as file:
        file.write("# \n")
    assert content_key(campaign) != before


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


def test_what_cannot_be_read_has_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    assert content_key(tmp_path / "pipe.toml") == content_key(tmp_path / "absent.toml") == ""


def test_odd_names_are_passed_over(profile: Path) -> None:
    profile.write_bytes(b'a = "~nobody-here/x.py"\nb = "\\u0000.py"\nc = "\xff.py"\nd = "' + b"x" * 290 + b'.py"\n')
    assert content_key(profile)


def test_another_length_written_at_the_same_time_is_another_file(profile: Path) -> None:
    before, about = content_key(profile), Path("mine/touch.py").stat()
    Path("mine/touch.py").write_text("class Touch: pass")
    os.utime("mine/touch.py", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert content_key(profile) != before


@pytest.mark.parametrize("name", ["reward.py", "phase.toml"])
def test_what_lies_in_the_home_folder_counts_too(profile: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    home = profile.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    (home / "phase.toml").write_text('a = "~/reward.py"')
    (home / "reward.py").write_text("class Touch: ...")
    profile.write_text('a = "~/phase.toml"')
    before = content_key(profile)
    with (home / name).open("a") as file:
        file.write("\n# more")
    assert content_key(profile) != before


def test_a_named_profile_that_cannot_be_read_is_only_looked_at(profile: Path) -> None:
    profile.with_name("folder.toml").mkdir()
    os.mkfifo(profile.with_name("pipe.toml"))
    profile.write_text('a = "folder.toml"\nb = "pipe.toml"')
    assert content_key(profile) == content_key(profile) != ""
