"""Where everything of a run is, and which names and places are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.registry import OPPONENTS
from rltui.runs.lock import claim_run
from rltui.runs.paths import DataDir, branch_name, check_run_name, data_dir, default_run_name, name_problem
from tests.fakes.saved_runs import litter, make_run


def test_the_layout(tmp_path: Path) -> None:
    run = DataDir(tmp_path).run("alpha")
    assert {name: str(getattr(run, name).relative_to(tmp_path)) for name in PLACES} == PLACES
    assert run.checkpoint(250_000) == tmp_path / "checkpoints/alpha/250000"


PLACES = {
    "folder": "runs/alpha",
    "journal": "runs/alpha/journal.jsonl",
    "profile": "runs/alpha/run.toml",
    "milestones_json": "runs/alpha/milestones.json",
    "log": "runs/alpha/trainer.log",
    "left": "runs/alpha/left.json",
    "ratings": "runs/alpha/ratings.json",
    "lock": "runs/alpha/lock",
    "lock_json": "runs/alpha/lock.json",
    "start": "runs/alpha/start",
    "socket_file": "runs/alpha/socket.json",
    "checkpoints": "checkpoints/alpha",
    "milestones": "checkpoints/milestones/alpha",
    "staging": "checkpoints/.saving/alpha",
    "damaged": "checkpoints/.damaged/alpha",
}


def test_where_the_data_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RLTUI_DATA", raising=False)
    assert data_dir(None).root == tmp_path / "data"
    monkeypatch.setenv("RLTUI_DATA", "elsewhere")
    assert data_dir(None).root == tmp_path / "elsewhere"
    assert data_dir("given").root == tmp_path / "given"
    monkeypatch.setenv("RLTUI_DATA", "")
    assert data_dir("").root == tmp_path / "data"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_dir("~/bots").root == tmp_path / "bots"
    assert data_dir("~nobody-of-this-name/x").root == tmp_path / "~nobody-of-this-name/x"
    assert list(tmp_path.iterdir()) == []


def test_good_run_names(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["alpha", "phase-1.b_2", "7", "a" * 100, "milestones2", "alpha-b2", "starter-1"]
    for name in cases:
        with subtests.test(name=name):
            assert check_run_name(name) == name


def test_bad_run_names(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "milestones",
        "Milestones",
        *OPPONENTS,
        "Rule",
        "a/b",
        "..",
        ".",
        ".saving",
        "-x",
        "a b",
        "ä",
        "a\n",
        "a" * 101,
        "a.",
        "con",
        "NUL.txt",
        "a\0",
    ]
    for name in cases:
        with subtests.test(name=name):
            assert name_problem(name)
            with pytest.raises(RltuiError, match="run name") as caught:
                DataDir(Path("data")).run(name)
            assert caught.value.exit_code == 2


def test_default_names_count_what_was_ever_called_so(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert default_run_name(data, "quick") == "quick-1"
    make_run(data, "quick-20260131-174502", commits=1)  # as runs were called
    make_run(data, "quick-x", commits=1)
    make_run(data, "my-quick-7", commits=1)
    assert default_run_name(data, "quick") == "quick-1"
    assert claim_run(data.run("quick-1")) and claim_run(data.run("quick-2-b2"))
    assert default_run_name(data, "quick") == "quick-3"
    shutil.rmtree(data.run("quick-2-b2").folder)
    assert default_run_name(data, "quick") == "quick-3", "a name is given once"
    assert branch_name(data, "quick-2") == "quick-2-b3"
    (data.trash / "Quick-9").mkdir(parents=True)
    assert default_run_name(data, "quick") == "quick-10"
    assert default_run_name(data, "quick-1") == "quick-1-1"
    for profile in ("", "milestones", *OPPONENTS, "my bot (ö).v2", "-", "x" * 300, "a/b\\c", "con"):
        assert name_problem(default_run_name(data, profile)) is None


def test_branches_count_on_from_their_root(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    make_run(data, "alpha", commits=0)
    assert branch_name(data, "alpha") == "alpha-b2"
    (data.checkpoints / "alpha-b2").mkdir(parents=True)
    assert branch_name(data, "alpha") == "alpha-b3"
    assert branch_name(data, "alpha-b2") == "alpha-b3"
    (data.milestones / "alpha-b3").mkdir(parents=True)
    assert branch_name(data, "alpha") == "alpha-b4"


def test_runs_are_found_wherever_they_left_something(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert data.run_names() == []
    paths = make_run(data, "alpha", commits=1)
    (data.checkpoints / "beta").mkdir()
    (data.milestones / "gamma").mkdir(parents=True)
    litter(data, paths)
    assert data.run_names() == ["alpha", "beta", "gamma"]
    assert data.has_run("beta") and not data.has_run("zeta")
