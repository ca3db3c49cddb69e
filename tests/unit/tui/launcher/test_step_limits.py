"""What becomes of a run's step limit when it goes on: kept while it lies ahead, asked for anew where it is reached."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui import formatting
from rltui.formatting import timesteps_of
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import describe_run
from rltui.tui.launcher.plan import LaunchPlan, next_round_total, plan_milestone, plan_run, with_step_limit
from tests.fakes.saved_runs import finish, header, make_run, row, save_milestone

NOW = 1_700_000_600.0


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path)


def run_with(data: DataDir, limit: int | None) -> RunPaths:
    """alpha, at 3,000 timesteps."""
    paths = make_run(data)
    save_milestone(paths, 2, 2000, "000.002M")
    writer = JournalWriter(paths.journal)
    for record in (msgspec.structs.replace(header(), step_limit=limit), row(3000), finish(3000)):
        writer.write(record)
    writer.close()
    return paths


def resumed(data: DataDir, limit: int | None) -> LaunchPlan:
    return plan_run(data, describe_run(run_with(data, limit)), NOW)


def test_a_limit_ahead_is_kept_and_said(data: DataDir) -> None:
    offer = resumed(data, 9000)
    assert offer.args == ("--steps", "9000")
    assert offer.reason.endswith("it ends at 9,000 timesteps, as it was started to")
    assert (offer.reached, offer.warnings) == (None, ())


def test_a_limit_that_is_reached_is_not_passed_over(data: DataDir) -> None:
    offer = resumed(data, 3000)
    assert (offer.reached, offer.timesteps, offer.args) == (3000, 3000, ())
    assert "it has reached its limit of 3,000 timesteps" in offer.warnings[-1]
    more = with_step_limit(offer, 5000)
    assert (more.args, more.reached) == (("--steps", "5000"), None)
    assert "it ends at 5,000 timesteps" in more.reason
    assert with_step_limit(offer, None).args == ()
    assert "until you stop it" in with_step_limit(offer, None).reason


def test_a_run_without_one_has_none(data: DataDir) -> None:
    offer = resumed(data, None)
    assert (offer.args, offer.reached, offer.warnings) == ((), None, ())


def test_a_branch_is_a_line_of_its_own(data: DataDir) -> None:
    milestone = describe_run(run_with(data, 3000)).milestones[0]
    offer = plan_milestone(data, milestone, NOW)
    assert offer.args == ("--resume", str(milestone.path)) and offer.reached is None


@pytest.mark.parametrize(
    ("timesteps", "total"), [(3_000_320, 4_000_000), (122_880, 200_000), (9_999_360, 10_000_000), (1, 2), (0, 1)]
)
def test_the_total_that_is_proposed_lies_ahead_and_is_short_to_type(timesteps: int, total: int) -> None:
    assert next_round_total(timesteps) == total
    assert timesteps_of(formatting.exact(total)) == total
