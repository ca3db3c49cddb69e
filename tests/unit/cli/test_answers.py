"""What is said where something typed is wrong: RUN/ is missing, a file for a folder, half an override."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.errors import RltuiError
from rltui.profile.locate import list_profiles
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.paths import DataDir
from tests.fakes.saved_runs import SIGNATURE, make_run, save_milestone

STATE = "alpha/Phase1-BallTouching/011.1M"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    data = DataDir(tmp_path / "data")
    save_milestone(make_run(data, commits=1), 2, 11_100_000, "011.1M")
    monkeypatch.setenv("RLTUI_DATA", str(data.root))
    monkeypatch.chdir(tmp_path)
    return data


def test_the_exact_command_is_said(
    subtests: pytest.Subtests, data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, command in [
        (["milestones", "pin", "011.1M"], f"rltui milestones pin {STATE}"),
        (["milestones", "note", "011.1M", "two words"], f"rltui milestones note {STATE} 'two words'"),
        (["milestones", "export", "011.1M", "out", "--policy"], f"rltui milestones export {STATE} out --policy"),
        (["milestones", "check", "Phase1-BallTouching/011.1M"], f"rltui milestones check {STATE}"),
        (["watch", "011.1M"], f"rltui watch {STATE}"),
        (["trace", "011.1M"], f"rltui trace {STATE}"),
        (["lut", "011.1M"], f"rltui lut {STATE}"),
    ]:
        with subtests.test(words=words, command=command):
            typed = next(word for word in words if word.endswith("011.1M"))
            assert main(words) == 2
            said = f"rltui: {typed}: RUN/ is missing before it; alpha has it\n  type: {command}\n"
            assert capsys.readouterr().err == said


def test_the_data_folder_that_was_named_stays_in_the_command(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["milestones", "pin", "011.1M", "--data-dir", str(data.root)]) == 2
    assert f"type: rltui milestones pin {STATE} --data-dir {data.root}\n" in capsys.readouterr().err


def test_one_in_the_trash_too(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["milestones", "delete", STATE]) == 0
    assert main(["milestones", "restore", "011.1M"]) == 2
    assert f"  type: rltui milestones restore {STATE}\n" in capsys.readouterr().err
    assert main(["milestones", "restore", "alpha/011.2M"]) == 1
    assert '  did you mean "alpha/011.1M"?\n' in capsys.readouterr().err


def test_what_protects_one_is_said_with_the_way_out(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("pin", "release"):
        assert main(["milestones", word, STATE]) == 0
        assert main(["milestones", "delete", STATE]) == 1
        assert f"  rltui milestones un{word} {STATE}\n" in capsys.readouterr().err


def test_training_goes_on_from_a_name_as_from_the_folder(data: DataDir) -> None:
    def plan(mode: str, fork: bool) -> tuple[str, Path | None]:
        found = plan_launch(StartRequest(data, SIGNATURE, "quick", mode=mode, fork=fork, run="new" if fork else None))
        return found.reason, found.checkpoint

    for fork in (False, True):
        assert plan("alpha/011.1M", fork) == plan(
            str(data.run("alpha").milestones / "Phase1-BallTouching/011.1M"), fork
        )


def test_what_to_resume_from_instead_is_said(subtests: pytest.Subtests, data: DataDir) -> None:
    for mode, hint in [
        ("011.1M", f"type: rltui train quick --resume {STATE}"),
        ("alpha/11.2M", 'did you mean "alpha/011.1M"?'),
        ("alpha/1100", 'did you mean "alpha/1000"?'),
        ("nwe", 'did you mean "new"?'),
    ]:
        with subtests.test(mode=mode, hint=hint):
            with pytest.raises(RltuiError, match=f"--resume {mode}: there is no such folder") as refused:
                plan_launch(StartRequest(data, SIGNATURE, "quick", mode=mode))
            assert refused.value.hint.splitlines()[0] == hint
            assert refused.value.message.count(f"{mode}:") == 1, "named once"


def test_a_profile_s_path_is_no_saved_state(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lut", "profiles/quick.toml"]) == 0
    assert "of profile quick" in capsys.readouterr().out


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_file_is_no_data_folder(subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]) -> None:
    for command in [["ls"], ["status"], ["milestones"], ["stop"], ["train", "quick"], ["watch"]]:
        with subtests.test(command=command):
            Path("notes.txt").write_text("mine")
            assert main([*command, "--data-dir", "notes.txt"]) == 2
            said = f"rltui: {Path('notes.txt').absolute()} (--data-dir): it is not a folder\n  choose a folder for the runs: --data-dir DIR\n"
            assert capsys.readouterr().err == said
            assert Path("notes.txt").read_text() == "mine"


def test_a_profile_that_hides_a_shipped_one_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "new", "quick", "--from", "quick"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "in this folder, quick is now that file, not the shipped profile"
    )
    assert main(["profile", "new", "mine"]) == 0
    assert capsys.readouterr().out.startswith("wrote profiles/mine.toml; next: ")


def test_in_a_checkout_a_new_profile_hides_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder of profiles is the shipped ones' too."""
    monkeypatch.setattr("rltui.profile.locate.shipped_folder", lambda: Path("profiles"))
    assert main(["profile", "new", "touch5"]) == 0
    assert capsys.readouterr().out.startswith("wrote profiles/touch5.toml; next: ")
    assert [(listed.name, listed.shipped) for listed in list_profiles()] == [("touch5", False)]


def test_an_override_without_a_value_shows_how_one_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "show", "quick", "--set", "ppo.gamma"]) == 2
    assert "expected section.key=value, as in ppo.learning_rate=1e-4, found ppo.gamma" in capsys.readouterr().err
