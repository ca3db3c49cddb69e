"""A fork: always a run of its own, from exactly the state that was named, with its parent recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.runs.resume import ResumePlan, choose_resume
from tests.fakes.saved_runs import SIGNATURE, make_run, save, save_milestone

NOW = 1_700_000_183.0


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.setattr("rltui.runs.resume.default_run_name", lambda profile: f"{profile}-20260131-174502")
    return DataDir(tmp_path / "data")


def fork(data: DataDir, path: Path, run: str | None = None) -> ResumePlan:
    return choose_resume(data, SIGNATURE, profile="profiles/goals.toml", run=run, mode=str(path), fork=True, now=NOW)


def test_also_from_the_newest_of_its_run(data: DataDir) -> None:
    paths = make_run(data)
    assert fork(data, paths.checkpoint(3000)) == ResumePlan(
        "branch",
        "goals-20260131-174502",
        "a fork: the new run 'goals-20260131-174502' begins as checkpoint 3000 of run 'alpha', at 3,000 timesteps, and learns "
        "by profile 'goals'",
        paths.checkpoint(3000),
        3000,
        commit=3,
        parent="alpha@3000",
        parent_run="alpha",
    )


def test_also_while_its_run_trains_and_under_a_name(data: DataDir) -> None:
    paths = make_run(data)
    milestone = save_milestone(paths, 2, 5_000_000, "005M")
    with RunLock(paths):
        plan = fork(data, milestone, "mine")
    assert (plan.run, plan.parent, plan.timesteps) == ("mine", "alpha@5000000", 5_000_000)


def test_from_a_folder_of_elsewhere(data: DataDir, tmp_path: Path) -> None:
    elsewhere = make_run(DataDir(tmp_path / "other"), "theirs")
    plan = fork(data, elsewhere.checkpoint(2000))
    assert (plan.parent, plan.parent_run) == ("theirs@2000", None)


def test_a_name_that_is_taken(data: DataDir) -> None:
    paths = make_run(data)
    with pytest.raises(RltuiError, match="run 'alpha' exists: a fork needs a name of its own"):
        fork(data, paths.checkpoint(1000), "alpha")
    make_run(data, "goals-20260131-174502")
    assert fork(data, paths.checkpoint(1000)).run == "goals-20260131-174502-b2"


def test_what_does_not_fit_says_which_expected_and_found(data: DataDir) -> None:
    other = make_run(data, "other", obs="default 89")
    with pytest.raises(RltuiError, match=r"--fork-from .*\n  observation: expected default 92, found default 89"):
        fork(data, other.checkpoint(1000))


def test_a_damaged_one_names_the_newest_good_one(data: DataDir) -> None:
    paths = make_run(data)
    (paths.checkpoint(3000) / "PPO_POLICY.pt").write_bytes(b"cut")
    with pytest.raises(RltuiError, match=r"PPO_POLICY\.pt is damaged") as refused:
        fork(data, paths.checkpoint(3000))
    assert refused.value.hint == (
        f"the newest good one: rltui train profiles/goals.toml --fork-from {paths.checkpoint(2000)}"
    )
    assert data.run_names() == ["alpha"]


def test_a_path_that_is_none(data: DataDir) -> None:
    save(data.run("alpha"), 1, 1000)
    with pytest.raises(RltuiError, match="there is no such folder"):
        fork(data, data.root / "nowhere")
