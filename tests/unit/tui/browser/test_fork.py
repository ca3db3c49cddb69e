"""Which profiles a fork is offered with, in which order, and what is said of each before anything is chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from rltui.runs.inventory import CheckpointInfo, read_inventory
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.tui.browser.fork import profiles_for, row, without_twins
from rltui.tui.checks.results import ProfileCheck, ProfileSummary
from rltui.tui.launcher.catalog import ProfileEntry
from tests.fakes import data_folder
from tests.fakes.saved_runs import SIGNATURE, make_run


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CheckpointInfo:
    """The newest checkpoint of alpha; two good profiles of the user's own beside."""
    monkeypatch.chdir(tmp_path)
    data_folder.write_profiles(tmp_path)
    return read_inventory(make_run(DataDir(tmp_path / "data"), commits=1)).entries[0]


def text_of(profile: ProfileEntry, entry: CheckpointInfo, check: ProfileCheck | None = None) -> str:
    judged = ProfileEntry(profile.name, profile.path, profile.shipped, check=check)
    return "".join(text for text, _ in row(judged, entry))


def test_the_state_s_own_comes_first_and_is_told_by_its_path(entry: CheckpointInfo, tmp_path: Path) -> None:
    first, *others = profiles_for(DataDir(tmp_path / "data"), entry).values()
    assert first.path == entry.path / "profile.toml" and first.name == str(first.path)
    assert [profile.name for profile in others][:2] == ["ball-touching", "bronze-skills"]


def test_its_own_is_offered_once_and_first_also_where_only_its_name_is_left(
    entry: CheckpointInfo, tmp_path: Path
) -> None:
    found = profiles_for(DataDir(tmp_path / "data"), entry)
    own, second = next(iter(found.values())), next(profile for profile in found.values() if profile.name == "quick")
    same = ProfileCheck(valid=True, summary=ProfileSummary(hash="ab"))
    other = ProfileCheck(valid=True, summary=ProfileSummary(hash="cd"))
    for check, listed in ((same, False), (other, True), (None, True)):
        checked = found | {own.path: replace(own, check=same), second.path: replace(second, check=check)}
        assert (second.path in without_twins(checked)) == listed
    own.path.unlink()
    assert next(iter(profiles_for(DataDir(tmp_path / "data"), entry).values())).name == "quick"


def test_of_a_campaign_it_is_the_run_s(entry: CheckpointInfo, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    data.run("alpha").profile.write_text('schema = 1\n[[curriculum.phases]]\nprofile = "first"\n')
    assert next(iter(profiles_for(data, entry))) == data.run("alpha").profile


def test_what_does_not_fit_is_said_beside_the_name(entry: CheckpointInfo, tmp_path: Path) -> None:
    own, other = list(profiles_for(DataDir(tmp_path / "data"), entry).values())[:2]
    fits = ProfileCheck(valid=True, signature=SIGNATURE)
    differs = msgspec.structs.replace(fits, signature=Signature("default 89", "cd", SIGNATURE.policy, SIGNATURE.critic))
    assert text_of(own, entry) == " ◌ quick, its own"
    assert text_of(own, entry, fits) == " ✓ quick, its own"
    assert text_of(other, entry, fits) == " ✓ ball-touching"
    assert text_of(other, entry, differs) == " ✗ ball-touching  obs"
    table = msgspec.structs.replace(fits, signature=msgspec.structs.replace(SIGNATURE, table_hash="cd"))
    assert text_of(other, entry, table) == " ✗ ball-touching  table"
    assert text_of(other, entry, ProfileCheck(valid=False, signature=SIGNATURE)) == " ✗ ball-touching  not valid"
    assert text_of(other, entry, ProfileCheck()) == " ✗ ball-touching  not valid"
