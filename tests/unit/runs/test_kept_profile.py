"""By which name a profile goes that is read from a run's folder, or from a saved state's."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.profile.copies import saved_copies
from rltui.profile.load import load
from rltui.profile.locate import name_in_text, with_name_line
from rltui.profile.resolved import resolved
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resume import choose_resume
from rltui.runs.summary import profile_name
from tests.fakes.saved_runs import SIGNATURE, header, make_files, make_meta, make_run, place, row, save_milestone


def run_of(data: DataDir, *profiles: str) -> RunPaths:
    """alpha, started with each of these in turn; one saved state, of the newest."""
    paths = make_run(data, commits=0)
    writer = JournalWriter(paths.journal)
    for number, profile in enumerate(profiles, 1):
        writer.write(msgspec.structs.replace(header(), profile=profile))
        writer.write(row(1000 * number))
    writer.close()
    place(
        paths.checkpoint(1000), make_files(msgspec.structs.replace(make_meta("alpha", 1, 1000), profile=profiles[-1]))
    )
    return paths


def test_a_run_s_own_file_goes_by_the_profile_s_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert profile_name(run_of(DataDir(tmp_path / "data"), "quick", "mine").profile) == "mine"
    assert profile_name("data/runs/alpha/run.toml") == "mine"


def test_one_that_was_called_run_already_gets_the_name_from_before(tmp_path: Path) -> None:
    assert profile_name(run_of(DataDir(tmp_path), "quick", "run", "run").profile) == "quick"


def test_a_saved_state_s_profile_goes_by_its_name_and_in_a_campaign_by_the_phase_s(tmp_path: Path) -> None:
    paths = run_of(DataDir(tmp_path), "campaign")
    assert profile_name(paths.checkpoint(1000) / "profile.toml") == "campaign"
    about = msgspec.structs.replace(make_meta("alpha", 2, 2000), profile="campaign", phase_profile="second")
    assert profile_name(place(paths.checkpoint(2000), make_files(about)) / "profile.toml") == "second"


def test_any_other_file_goes_by_its_own(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["run.toml", "runs/alpha/run.toml", "profile.toml", "profiles/mine.toml", "/run.toml"]
    for path in cases:
        with subtests.test(path=path):
            assert profile_name(tmp_path / path) == Path(path).stem


def test_the_name_in_the_first_line_goes_before_all_else(subtests: pytest.Subtests, tmp_path: Path) -> None:
    """Also where the file lies outside of its run, with no journal beside it."""
    for file in ["run.toml", "profile.toml"]:
        with subtests.test(file=file):
            path = tmp_path / file
            path.write_text(saved_copies(load("quick").called("my best bot"), "run.toml")["run.toml"], encoding="utf-8")
            assert profile_name(path) == "my best bot"
            assert load(path).name == "my best bot"
            assert resolved(load(path)) == resolved(load("quick"))
            copied = path.rename(tmp_path / "mine.toml")
            assert (profile_name(copied), load(copied).name) == ("mine", "mine")


def test_a_file_without_the_line_has_no_name_in_it(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "schema = 1\n", "# profile:\n", "# profile\n", "#profile: quick\n", "\n# profile: quick\n"]
    for text in cases:
        with subtests.test(text=text):
            assert name_in_text(text) is None


def test_a_name_is_read_as_it_was_written(subtests: pytest.Subtests) -> None:
    for name in ["quick", "Bot 3", "größer", "a: b", "#1"]:
        with subtests.test(name=name):
            assert name_in_text(with_name_line("schema = 1\n", name)) == name


def test_a_name_that_fits_no_line_is_left_out(subtests: pytest.Subtests) -> None:
    for name in ["", " ", "two\nlines", "bell\a"]:
        with subtests.test(name=name):
            assert with_name_line("schema = 1\n", name) == "schema = 1\n"


def test_a_branch_is_named_after_the_profile_and_the_reason_finds_no_other(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    paths = run_of(data, "quick")
    state = save_milestone(paths, 2, 2000, "002M")
    plan = choose_resume(data, SIGNATURE, profile=str(state / "profile.toml"), mode=str(state), fork=True)
    assert plan.run.startswith("quick-")
    assert "so far" not in choose_resume(data, SIGNATURE, profile=str(paths.profile)).reason


def test_a_profile_under_another_name_is_the_same_profile() -> None:
    quick = load("quick")
    other = quick.called("mine")
    assert (other.name, other.path, quick.name) == ("mine", quick.path, "quick")
    assert other.model_dump() == quick.model_dump()
