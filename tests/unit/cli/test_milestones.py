"""`rltui milestones`: everything that the browser does, without a screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rltui.__main__ import main
from rltui.runs.best import write_ratings
from rltui.runs.inventory import MilestoneMark, read_marks
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.saved_runs import litter, make_run, save_milestone, tree


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    found = make_run(DataDir(tmp_path / "data"))
    save_milestone(found, 2, 5_000_000, "005M")
    return found


class Said:
    """Runs the command on the data folder; its exit code and what it printed."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._root, self._capsys = root, capsys

    def __call__(self, *words: str) -> tuple[int, str]:
        code = main(["milestones", *words, "--data-dir", str(self._root)])
        shown = self._capsys.readouterr()
        return code, shown.out + shown.err

    def json(self, *words: str) -> Any:
        code, text = self(*words, "--json")
        assert code == 0, text
        return json.loads(text)


@pytest.fixture
def said(paths: RunPaths, capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(paths.data.root, capsys)


def test_the_list_shows_all_with_reasons(paths: RunPaths, said: Said) -> None:
    litter(paths.data, paths)
    (paths.checkpoint(2000) / "policy.npz").write_bytes(b"cut")
    code, text = said("list", "alpha")
    assert code == 0
    assert "  Phase1-BallTouching/005M  5,000,000   1.500         –    4.400  0.0100" in text
    assert "  damaged: checkpoint 2000: policy.npz is damaged: it has 3 bytes, expected 600" in text
    assert f"  unrecognised: {paths.checkpoints / '12a'}: not a folder" in text
    everything = main(["milestones", "--data-dir", str(paths.data.root)])
    assert everything == 0


def test_the_list_names_the_best_by_games(paths: RunPaths, said: Said) -> None:
    assert "best by games" not in said("list", "alpha")[1]
    write_ratings(paths, {5_000_000: 1145.0, 9_000_000: 1500.0})  # the latter is gone
    assert "  best by games: 5,000,000, not pruned" in said("list", "alpha")[1]


def test_the_list_as_json(paths: RunPaths, said: Said) -> None:
    [run] = said.json("list")["runs"]
    assert (run["run"], run["training"], run["parent"]) == ("alpha", False, None)
    [milestone] = run["milestones"]
    assert milestone["path"] == str(paths.milestones / "Phase1-BallTouching/005M")
    assert milestone["meta"]["timesteps"] == 5_000_000
    assert [state["timesteps"] for state in run["checkpoints"]] == [1000, 2000, 3000]


def test_an_empty_folder_and_an_unknown_run(
    tmp_path: Path, paths: RunPaths, said: Said, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["milestones", "--data-dir", str(tmp_path / "none")]) == 0
    assert "no runs in" in capsys.readouterr().out
    code, text = said("list", "alhpa")
    assert code == 1
    assert 'did you mean "alpha"?' in text


def test_marks(paths: RunPaths, said: Said) -> None:
    assert said("pin", "alpha/005M") == (0, "milestone Phase1-BallTouching/005M of run alpha: pinned\n")
    assert said("note", "alpha/005M", " dribbles ")[1].endswith(": pinned, note: dribbles\n")
    assert said.json("release", "alpha/005M")["mark"] == {"pinned": True, "released": True, "note": "dribbles"}
    said("unpin", "alpha/005M")
    said("note", "alpha/005M", "")
    assert read_marks(paths) == {"Phase1-BallTouching/005M": MilestoneMark(released=True)}
    assert said("unrelease", "alpha/005M")[1].endswith(": no marks\n")
    code, text = said("pin", "alpha/1000")
    assert code == 1
    assert "checkpoints are replaced by newer ones" in text


def test_delete_and_restore(paths: RunPaths, said: Said) -> None:
    before = tree(paths.data.checkpoints)
    code, text = said("delete", "alpha/005M")
    assert code == 0
    assert "undo: rltui milestones restore alpha/Phase1-BallTouching/005M" in text
    assert [entry["timesteps"] for entry in said.json("trash")] == [5_000_000]
    assert "milestone Phase1-BallTouching/005M" in said("trash")[1]
    assert said("restore", "alpha/Phase1-BallTouching/005M")[0] == 0
    assert tree(paths.data.checkpoints) == before
    assert said("trash") == (0, "the trash is empty\n")
    assert said("restore", "alpha/005M")[0] == 1


def test_the_trash_is_emptied_on_request_only(paths: RunPaths, said: Said) -> None:
    said("delete", "alpha/1000")
    said("trash")
    assert tree(paths.data.trash)
    assert said("trash", "--empty") == (0, "deleted for good: 1\n")
    assert tree(paths.data.trash) == {}


def test_what_is_needed_or_protected_is_refused(paths: RunPaths, said: Said) -> None:
    said("pin", "alpha/005M")
    assert said("delete", "alpha/005M")[0] == 1
    with RunLock(paths):
        code, text = said("delete", "alpha/3000")
    assert code == 1
    assert "the newest state of a run in training" in text


def test_export(paths: RunPaths, said: Said, tmp_path: Path) -> None:
    assert said("export", "alpha/005M", str(tmp_path / "out"))[0] == 0
    assert tree(tmp_path / "out") == tree(paths.milestones / "Phase1-BallTouching/005M")
    assert said.json("export", "alpha/005M", str(tmp_path / "out"))["path"] == str(tmp_path / "out" / "alpha-005M")
    code, text = said("export", "alpha/005M", str(tmp_path / "out" / "alpha-005M" / "policy.npz"), "--policy")
    assert code == 2
    assert "exists: it is never overwritten" in text


def test_check_reads_every_byte(paths: RunPaths, said: Said) -> None:
    assert said("check", "alpha/005M")[0] == 0
    policy = paths.milestones / "Phase1-BallTouching/005M/policy.npz"
    policy.write_bytes(policy.read_bytes()[::-1])
    code, text = said("check", "alpha/005M")
    assert code == 1
    assert "policy.npz is damaged: its SHA-256 is" in text


def test_check_without_a_name_reads_all_and_of_a_run_all_of_it(paths: RunPaths, said: Said) -> None:
    make_run(paths.data, "beta", 1)
    code, text = said("check")
    assert code == 0
    assert text.endswith("checkpoint 1000 of run beta: sound, every byte\n5 checked, 0 damaged\n")
    policy = paths.checkpoint(2000) / "policy.npz"
    policy.write_bytes(policy.read_bytes()[::-1])
    assert said("check")[0] == 1
    assert said("check", "beta") == (0, "checkpoint 1000 of run beta: sound, every byte\n1 checked, 0 damaged\n")
    code, text = said("check", "alpha", "--json")
    assert (code, [each["name"] for each in json.loads(text) if each["damage"]]) == (1, ["checkpoint 2000"])
    assert said("check", "alpah")[0] == 1


def test_keeping_a_checkpoint(paths: RunPaths, said: Said) -> None:
    code, text = said("keep", "alpha/3000")
    assert code == 0
    assert text.startswith("kept checkpoint 3000 of run alpha as milestone Phase1-BallTouching/000.003M")
    assert "rltui train PROFILE --resume alpha/Phase1-BallTouching/000.003M" in text
    kept = paths.milestones / "Phase1-BallTouching" / "000.003M"
    assert tree(kept) == tree(paths.checkpoint(3000))
    assert "000.003M" in said("list", "alpha")[1]
    code, text = said("keep", "alpha/3000")
    assert (code, "is already kept as Phase1-BallTouching/000.003M" in text) == (0, True)
    assert said.json("keep", "alpha/2000") == {
        "run": "alpha", "milestone": "Phase1-BallTouching/000.002M", "present": False,
        "path": str(paths.milestones / "Phase1-BallTouching" / "000.002M"), "set_aside": None,
    }  # fmt: skip
    (kept / "policy.npz").write_bytes(b"cut")
    aside = Path(said.json("keep", "alpha/3000")["set_aside"])
    assert (aside / "policy.npz").read_bytes() == b"cut" and tree(kept) == tree(paths.checkpoint(3000))
    (paths.checkpoint(1000) / "policy.npz").write_bytes(b"cut")
    code, text = said("keep", "alpha/1000")
    assert code == 1 and "policy.npz is damaged: it has 3 bytes" in text
    assert "rltui milestones keep alpha/1000" in said("pin", "alpha/1000")[1]
