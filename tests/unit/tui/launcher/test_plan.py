"""What a launch plan says that it does or why it does nothing, with which arguments, and what becomes of a step limit."""

from __future__ import annotations

import dataclasses

import msgspec

from rltui import formatting
from rltui.formatting import timesteps_of
from rltui.runs.journal import JournalWriter
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.lock import RunLock
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.runs.summary import RunSummary, describe_run
from rltui.tui.launcher.catalog import CatalogReader, ProfileEntry
from rltui.tui.launcher.plan import (
    OpenRun,
    Plan,
    Refusal,
    next_round_total,
    plan_item,
    plan_lines,
    plan_profile,
    plan_run,
    plan_stamp,
    plan_state,
)
from rltui.tui.launcher.tree import Item
from rltui.tui.text import plain
from tests.fakes import data_folder
from tests.fakes.saved_runs import finish, header, make_run, row, save_milestone

NOW = 1_764_250_000.0


def checked(reader: CatalogReader) -> ProfileEntry:
    return data_folder.all_checked(reader).profiles[0]


def launched(plan: Plan | None) -> LaunchPlan:
    assert isinstance(plan, LaunchPlan), plan
    return plan


def refused(plan: Plan | None) -> Refusal:
    assert isinstance(plan, Refusal), plan
    return plan


def unfit(entry: ProfileEntry) -> ProfileEntry:
    """Of another observation and table than the runs that are there."""
    assert entry.check is not None
    other = Signature("default 89", "cd" * 32, "discrete 89-512-90", "critic 89-512-1")
    return dataclasses.replace(entry, check=msgspec.structs.replace(entry.check, signature=other))


def test_each_row_is_planned_with_the_arguments_that_make_the_trainer_do_it(
    data: DataDir, reader: CatalogReader
) -> None:
    new = launched(plan_profile(data, checked(reader), NOW))
    assert (new.kind, new.args) == ("new", ("--resume", "new"))
    data_folder.make_two(data, NOW)
    catalog = data_folder.all_checked(reader)
    saved = catalog.runs[0].milestones[0].path
    row = Item("profile", str(catalog.profiles[0].path))
    expected = {
        row: ("resume", "alpha", "ball-touching", ()),
        Item("run", "beta"): ("resume", "beta", str(data.run("beta").profile), ()),
        Item("milestone", str(saved)): ("branch", "alpha-b2", f"{saved}/profile.toml", ("--resume", str(saved))),
    }
    for item, what in expected.items():
        plan = launched(plan_item(data, catalog, item, NOW))
        assert (plan.kind, plan.run, plan.profile, plan.args) == what
    assert launched(plan_item(data, catalog, row, NOW, new=True)).kind == "new"
    assert plan_item(data, catalog, Item("run", "gone"), NOW) is None
    with RunLock(data.run("alpha")):
        catalog = reader.read()
        assert plan_item(data, catalog, row, NOW) == OpenRun("alpha")
        assert plan_item(data, catalog, Item("run", "alpha"), NOW) is None
        assert launched(plan_item(data, catalog, row, NOW, new=True)).kind == "new"


def test_what_cannot_start_says_why_and_what_instead(data: DataDir, reader: CatalogReader) -> None:
    paths = data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    data.run("empty").folder.mkdir(parents=True)
    catalog = reader.read()
    alpha, empty = catalog.run("alpha"), catalog.run("empty")
    assert alpha is not None and empty is not None
    assert "no run to go on with" in refused(plan_profile(data, unfit(checked(reader)), NOW)).words
    assert launched(plan_profile(data, unfit(checked(reader)), NOW, force=True)).args == ("--resume", "new", "--force")
    assert refused(plan_run(data, empty, NOW)).words == "nothing of it was saved"
    newest, older = paths.checkpoint(11_468_800), alpha.milestones[-1].path
    with RunLock(paths):
        assert "is being trained already" in refused(plan_run(data, alpha, NOW)).words
        assert refused(plan_state(data, "alpha", newest, NOW)).fallback is None
    (newest / "PPO_POLICY.pt").write_bytes(b"cut")
    found = refused(plan_state(data, "alpha", newest, NOW))
    assert "PPO_POLICY.pt is damaged" in found.words
    assert found.fallback is not None and found.fallback.checkpoint == older


def test_a_state_of_a_campaign_goes_on_with_the_run_s_profile(data: DataDir) -> None:
    paths = data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    paths.profile.write_text('schema = 1\n[[curriculum.phases]]\nprofile = "one"\n', encoding="utf-8")
    plan = launched(plan_state(data, "alpha", paths.milestones / "Phase1-BallTouching" / "005M", NOW))
    assert plan.profile == str(paths.profile)


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
    ahead = launched(plan_run(data, at_3000(data, "ahead", 9000), NOW))
    assert (ahead.args, ahead.reached) == (("--steps", "9000"), False)
    assert "until 9,000 timesteps" in plain(plan_lines(ahead, 80))
    unlimited = launched(plan_run(data, at_3000(data, "unlimited", None), NOW))
    assert (unlimited.args, unlimited.reached) == ((), False)
    run = at_3000(data, "reached", 3000)
    plan = launched(plan_run(data, run, NOW))
    assert (plan.reached, plan.args) == (True, ())
    assert "limit of 3,000 timesteps is reached" in plain(plan_lines(plan, 80))
    branch = launched(plan_state(data, run.name, run.milestones[0].path, NOW))  # a line of its own: it has no limit
    assert (branch.args, branch.steps) == (("--resume", str(run.milestones[0].path)), None)


def test_the_total_that_is_proposed_lies_ahead_and_is_short_to_type() -> None:
    totals = {3_000_320: 4_000_000, 122_880: 200_000, 9_999_360: 10_000_000, 1: 2, 0: 1}
    assert {timesteps: next_round_total(timesteps) for timesteps in totals} == totals
    assert all(timesteps_of(formatting.exact(total)) == total for total in totals.values())


def test_a_plan_is_made_anew_once_a_run_says_which_profile_it_trains(data: DataDir, reader: CatalogReader) -> None:
    """Its lock is held before that is written, and its first state is saved later."""
    paths = data.run("attempt")
    paths.folder.mkdir(parents=True)
    with RunLock(paths):
        before = data_folder.all_checked(reader)
        item = Item("profile", str(before.profiles[0].path))
        assert launched(plan_item(data, before, item, NOW)).why.endswith("this profile has no run yet")
        writer = JournalWriter(paths.journal)
        writer.write(msgspec.structs.replace(header("attempt"), profile=before.profiles[0].name))
        writer.close()
        after = reader.read()
        assert plan_stamp(after, item) != plan_stamp(before, item)
        assert plan_item(data, after, item, NOW) == OpenRun("attempt")
