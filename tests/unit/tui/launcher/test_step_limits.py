"""What becomes of a run's step limit when it goes on: kept while it lies ahead, asked for anew where it is reached."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import describe_run
from rltui.tui.launcher.offers import Offer, offer_milestone, offer_resume
from rltui.tui.launcher.step_limits import total_of, with_total
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


def resumed(data: DataDir, limit: int | None) -> Offer:
    return offer_resume(data, describe_run(run_with(data, limit)), NOW)


def test_a_limit_ahead_is_kept_and_said(data: DataDir) -> None:
    offer = resumed(data, 9000)
    assert offer.args == ("--steps", "9000")
    assert offer.reason.endswith("it ends at 9,000 timesteps, as it was started to")
    assert (offer.reached, offer.warnings) == (None, ())


def test_a_limit_that_is_reached_is_not_passed_over(data: DataDir) -> None:
    offer = resumed(data, 3000)
    assert (offer.reached, offer.timesteps, offer.args) == (3000, 3000, ())
    assert "it has reached its limit of 3,000 timesteps" in offer.warnings[-1]
    more = with_total(offer, 5000)
    assert (more.args, more.reached) == (("--steps", "5000"), None)
    assert "it ends at 5,000 timesteps" in more.reason
    assert with_total(offer, None).args == ()
    assert "until you stop it" in with_total(offer, None).reason


def test_a_run_without_one_has_none(data: DataDir) -> None:
    offer = resumed(data, None)
    assert (offer.args, offer.reached, offer.warnings) == ((), None, ())


def test_a_branch_is_a_line_of_its_own(data: DataDir) -> None:
    milestone = describe_run(run_with(data, 3000)).milestones[0]
    offer = offer_milestone(data, milestone, NOW)
    assert offer.args == ("--resume", milestone.path) and offer.reached is None


@pytest.mark.parametrize(
    ("text", "total"),
    [("300000", 300_000), ("300,000", 300_000), (" 300_000 ", 300_000), ("3e5", 300_000), ("300 k", 300_000),
     ("0.3M", 300_000), ("2 M", 2_000_000), ("0.5", None), ("M", None), ("", None), ("many", None), ("inf", None),
     ("nan", None), ("1e999", None), ("3.00001 k", None), ("2MM", None)],
)  # fmt: skip
def test_totals_as_people_type_them(text: str, total: int | None) -> None:
    assert total_of(text) == total
