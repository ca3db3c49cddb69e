"""`RUN/MILESTONE` on the command line: who takes it, and what is said where RUN/ is missing or something else is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.runs.resume import choose_resume
from tests.fakes.saved_runs import SIGNATURE, make_run, save_milestone

STATE = "alpha/Phase1-BallTouching/011.1M"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    data = DataDir(tmp_path / "data")
    save_milestone(make_run(data, commits=1), 2, 11_100_000, "011.1M")
    monkeypatch.setenv("RLTUI_DATA", str(data.root))
    monkeypatch.chdir(tmp_path)
    return data


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["milestones", "pin", "011.1M"], f"rltui milestones pin {STATE}"),
        (["milestones", "note", "011.1M", "two words"], f"rltui milestones note {STATE} 'two words'"),
        (["milestones", "export", "011.1M", "out", "--policy"], f"rltui milestones export {STATE} out --policy"),
        (["milestones", "check", "Phase1-BallTouching/011.1M"], f"rltui milestones check {STATE}"),
        (["watch", "011.1M"], f"rltui watch {STATE}"),
        (["trace", "011.1M"], f"rltui trace {STATE}"),
        (["lut", "011.1M"], f"rltui lut {STATE}"),
    ],
)
def test_the_exact_command_is_said(
    data: DataDir, words: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
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
        found = choose_resume(data, SIGNATURE, profile="quick", mode=mode, fork=fork, run="new" if fork else None)
        return found.reason, found.checkpoint

    for fork in (False, True):
        assert plan("alpha/011.1M", fork) == plan(
            str(data.run("alpha").milestones / "Phase1-BallTouching/011.1M"), fork
        )


@pytest.mark.parametrize(
    ("mode", "hint"),
    [
        ("011.1M", f"type: rltui train quick --resume {STATE}"),
        ("alpha/11.1M", 'did you mean "alpha/011.1M"?'),
        ("alpha/1100", 'did you mean "alpha/1000"?'),
        ("nwe", 'did you mean "new"?'),
    ],
)
def test_what_to_resume_from_instead_is_said(data: DataDir, mode: str, hint: str) -> None:
    with pytest.raises(RltuiError, match=f"--resume {mode}: there is no such folder") as refused:
        choose_resume(data, SIGNATURE, profile="quick", mode=mode)
    assert refused.value.hint.splitlines()[0] == hint


def test_a_profile_s_path_is_no_saved_state(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lut", "profiles/quick.toml"]) == 0
    assert "of profile quick" in capsys.readouterr().out
