"""An offer's kind says what it does or why it does nothing; nobody has to read that out of its words."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.runs.lock import RunLock
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.runs.resume import BeingTrained, NothingFits
from rltui.tui.launcher.catalog import CatalogReader, ProfileEntry
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.descriptions import describe_plan, profile_lines
from rltui.tui.launcher.plan import LaunchPlan, plan_milestone, plan_open, plan_profile, plan_run, refusal, refused_by
from rltui.tui.text import plain
from tests.fakes import data_folder

NOW = 1_764_250_000.0


def checked(reader: CatalogReader) -> ProfileEntry:
    return reader.check(reader.read()).profiles[0]


def unfit(entry: ProfileEntry) -> ProfileEntry:
    """Of another observation and table than the runs that are there."""
    assert entry.check is not None
    other = Signature("default 89", "cd" * 32, "discrete 89-512-90", "critic 89-512-1")
    return dataclasses.replace(entry, check=msgspec.structs.replace(entry.check, signature=other))


def test_what_can_be_done_has_the_kind_of_its_plan(data: DataDir, reader: CatalogReader) -> None:
    assert plan_profile(data, checked(reader), NOW).kind == "new"
    data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    alpha = reader.read().run("alpha")
    assert alpha is not None
    assert plan_profile(data, checked(reader), NOW).kind == "resume"
    assert plan_profile(data, checked(reader), NOW, new=True).kind == "new"
    assert plan_run(data, alpha, NOW).kind == "resume"
    assert plan_milestone(data, alpha.milestones[0], NOW).kind == "branch"
    shown = plan_open(alpha)
    assert (shown.kind, shown.run) == ("open", "alpha")


def test_what_does_not_fit_and_what_is_trained_are_told_apart(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    alpha = reader.read().run("alpha")
    assert alpha is not None
    assert plan_profile(data, unfit(checked(reader)), NOW).kind == "nothing fits"
    lock = RunLock(data.run("alpha"))
    lock.acquire()
    try:
        assert plan_run(data, alpha, NOW).kind == "in training"
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RltuiError("run 'a' is being trained already", "rltui train x --resume new"), "refused"),
        (BeingTrained("somebody has it"), "in training"),
        (NothingFits("none there"), "nothing fits"),
    ],
)
def test_the_error_decides_and_not_its_words(error: RltuiError, kind: str) -> None:
    offer = refused_by(error)
    assert (offer.kind, offer.refused, offer.hint) == (kind, error.message, error.hint)


def test_the_way_to_a_new_run_is_told_by_the_kind(data: DataDir, reader: CatalogReader) -> None:
    entry, catalog = checked(reader), reader.read()
    instead = "n starts a new run instead, from zero"
    shown = {
        kind: plain(
            profile_lines(entry, catalog, PlanContext(NOW, LaunchPlan(kind, "resume in other words", run="alpha")), 70)
        )
        for kind in ("new", "resume", "open")
    }
    assert instead in shown["resume"]
    assert instead not in shown["new"]
    assert "n starts another run beside it, from zero" in shown["open"]


def test_only_the_hint_for_a_command_line_is_left_out() -> None:
    typed = "to start from zero: rltui train quick --resume new"
    assert "from zero" not in plain(describe_plan(LaunchPlan("nothing fits", refused="no run fits", hint=typed), 80))
    assert "from zero" in plain(describe_plan(refusal("it is damaged", typed), 80))
