"""What is said to whoever takes a file for a folder, hides a shipped profile, or writes half an override."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.profile.locate import list_profiles


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", [["ls"], ["status"], ["milestones"], ["stop"], ["train", "quick"], ["watch"]])
def test_a_file_is_no_data_folder(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("mine")
    assert main([*command, "--data-dir", "notes.txt"]) == 2
    said = f"rltui: {Path('notes.txt').absolute()} is no folder (--data-dir)\n  choose a folder for the runs: --data-dir DIR\n"
    assert capsys.readouterr().err == said
    assert Path("notes.txt").read_text() == "mine"


def test_a_profile_that_hides_a_shipped_one_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "new", "quick", "--from", "quick"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "in this folder, quick now means that file, not the profile of this name that comes with rltui"
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


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--seconds", "nan"], ["--workers", "-1"], ["--arenas", "1.5"]])
def test_bench_takes_no_number_for_another(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", *words])
    assert left.value.code == 2 and f"rltui: bench: {words[0]}: a " in capsys.readouterr().err
