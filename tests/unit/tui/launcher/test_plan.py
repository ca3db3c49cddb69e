"""What a launch plan says that it does or why it does nothing, with which arguments, and what becomes of a step limit."""

from __future__ import annotations

import dataclasses

import msgspec

from rltui import formatting
from rltui.errors import RltuiError
from rltui.formatting import timesteps_of
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.runs.resume import BeingTrained, NothingFits
from rltui.runs.summary import RunSummary, describe_run
from rltui.tui.launcher.catalog import CatalogReader, ProfileEntry
from rltui.tui.launcher.plan import (
    next_round_total,
    plan_milestone,
    plan_open,
    plan_profile,
    plan_run,
    refused_by,
    with_step_limit,
)
from tests.fakes import data_folder
from tests.fakes.saved_runs import finish, header, make_run, row, save_milestone

NOW = 1_764_250_000.0


def checked(reader: CatalogReader) -> ProfileEntry:
    return reader.check(reader.read()).profiles[0]


def unfit(entry: ProfileEntry) -> ProfileEntry:
    """Of another observation and table than the runs that are there."""
    assert entry.check is not None
    other = Signature("default 89", "cd" * 32, "discrete 89-512-90", "critic 89-512-1")
    return dataclasses.replace(entry, check=msgspec.structs.replace(entry.check, signature=other))


def test_the_kind_tells_what_is_done_and_the_arguments_make_the_trainer_do_it(
    data: DataDir, reader: CatalogReader
) -> None:
    new = plan_profile(data, checked(reader), NOW)
    assert (new.kind, new.args) == ("new", ("--resume", "new"))
    data_folder.make_two(data, NOW)
    catalog = reader.read()
    alpha, beta = catalog.run("alpha"), catalog.run("beta")
    assert alpha is not None and beta is not None
    resume = plan_profile(data, checked(reader), NOW)
    assert (resume.kind, resume.run, resume.profile, resume.args) == ("resume", "alpha", "ball-touching", ())
    assert plan_profile(data, checked(reader), NOW, new=True).kind == "new"
    of_run = plan_run(data, beta, NOW)
    assert (of_run.kind, of_run.run, of_run.profile, of_run.args) == (
        "resume",
        "beta",
        str(data.run("beta").profile),
        (),
    )
    saved = alpha.milestones[0]
    branch = plan_milestone(data, saved, NOW)
    assert (branch.kind, branch.run, branch.args) == ("branch", "alpha-b2", ("--resume", str(saved.path)))
    assert branch.profile == f"{saved.path}/profile.toml"
    shown = plan_open(alpha)
    assert (shown.kind, shown.run) == ("open", "alpha")


def test_what_does_not_fit_and_what_is_trained_are_told_apart(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    data.run("empty").folder.mkdir(parents=True)
    catalog = reader.read()
    alpha, empty = catalog.run("alpha"), catalog.run("empty")
    assert alpha is not None and empty is not None
    assert plan_profile(data, unfit(checked(reader)), NOW).kind == "nothing fits"
    assert plan_run(data, empty, NOW).refused == "it has no complete checkpoint to go on from"
    with RunLock(data.run("alpha")):
        assert plan_run(data, alpha, NOW).kind == "in training"


def test_the_error_decides_the_kind_and_not_its_words() -> None:
    cases: list[tuple[RltuiError, str]] = [
        (RltuiError("run 'a' is being trained already", "rltui train x --resume new"), "refused"),
        (BeingTrained("somebody has it"), "in training"),
        (NothingFits("none there"), "nothing fits"),
    ]
    for error, kind in cases:
        plan = refused_by(error)
        assert (plan.kind, plan.refused, plan.hint) == (kind, error.message, error.hint)


def at_3000(data: DataDir, name: str, limit: int | None) -> RunSummary:
    """A run at 3,000 timesteps, with a milestone."""
    paths = make_run(data, name)
    save_milestone(paths, 2, 2000, "000.002M")
    writer = JournalWriter(paths.journal)
    for record in (msgspec.structs.replace(header(), step_limit=limit), row(3000), finish(3000)):
        writer.write(record)
    writer.close()
    return describe_run(paths)


def test_a_step_limit_is_kept_while_it_lies_ahead_and_asked_for_anew_where_it_is_reached(data: DataDir) -> None:
    ahead = plan_run(data, at_3000(data, "ahead", 9000), NOW)
    assert ahead.args == ("--steps", "9000")
    assert ahead.reason.endswith("it ends at 9,000 timesteps, as it was started to")
    assert (ahead.reached, ahead.warnings) == (None, ())
    unlimited = plan_run(data, at_3000(data, "unlimited", None), NOW)
    assert (unlimited.args, unlimited.reached, unlimited.warnings) == ((), None, ())
    run = at_3000(data, "reached", 3000)
    plan = plan_run(data, run, NOW)
    assert (plan.reached, plan.timesteps, plan.args) == (3000, 3000, ())
    assert "it has reached its limit of 3,000 timesteps" in plan.warnings[-1]
    more, unlimited = with_step_limit(plan, 5000), with_step_limit(plan, None)
    assert (more.args, more.reached) == (("--steps", "5000"), None)
    assert "it ends at 5,000 timesteps" in more.reason
    assert unlimited.args == ()
    assert "until you stop it" in unlimited.reason
    branch = plan_milestone(data, run.milestones[0], NOW)  # a line of its own: it has no limit
    assert branch.args == ("--resume", str(run.milestones[0].path)) and branch.reached is None


def test_the_total_that_is_proposed_lies_ahead_and_is_short_to_type() -> None:
    totals = {3_000_320: 4_000_000, 122_880: 200_000, 9_999_360: 10_000_000, 1: 2, 0: 1}
    assert {timesteps: next_round_total(timesteps) for timesteps in totals} == totals
    assert all(timesteps_of(formatting.exact(total)) == total for total in totals.values())
