"""What enter, R, n and a fork would do, asked of `runs.launch_plan`, and the words for it on every screen.

Planning reads checkpoints to the last byte: in a thread. now: Unix seconds.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textual.message import Message

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.profile.source import MAX_BYTES
from rltui.profile.toml_text import toml_values
from rltui.runs.journal_reader import step_limit
from rltui.runs.launch_plan import DamagedState, LaunchPlan, NothingFits, StartRequest, plan_launch
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import RunSummary
from rltui.tui.checks.results import ProfileCheck
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.tree import Item, profile_at
from rltui.tui.text import INDENT, Line, indented, text_line, wrap

PLANNED = ("profile", "run", "milestone")  # kinds of items
MOST_REASONS = 3
_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24,}\b")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing would start. hint: a key to press. fallback: what can start instead."""

    words: str
    hint: str = ""
    fallback: LaunchPlan | None = None


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The profile is being trained in this run: that is shown, and no second trainer started."""

    run: str


Plan = LaunchPlan | Refusal | OpenRun


class PlanReady(Message):
    """stamp: of what the plan rests on, as it was when it was asked for."""

    def __init__(self, plan: Plan, item: Item | None = None, stamp: object = None) -> None:
        super().__init__()
        self.plan, self.item, self.stamp = plan, item, stamp


def plan_item(
    data: DataDir, catalog: Catalog, item: Item, now: float, *, new: bool = False, force: bool = False
) -> Plan | None:
    """Launching what a row stands for. new: a run from zero, whatever else could be done. force: in spite of its checks.
    None for what is gone, and for a run that trains.
    """
    if item.kind == "profile":
        entry = profile_at(catalog, item)
        trained = catalog.trained_by(entry) if entry is not None and not new else None
        if trained is not None:
            return OpenRun(trained.name)
        if entry is None:
            return None
        plan = plan_profile(data, entry, now, new=new, force=force)
        return plan if new or force else _with_offer(data, catalog, entry, plan, now)
    if item.kind == "run":
        run = catalog.run(item.name)
        return plan_run(data, run, now) if run is not None and run.state != "training" else None
    found = catalog.milestone(item.name)
    return plan_state(data, found.run, found.path, now) if found is not None else None


def offered(plan: Plan | None) -> LaunchPlan | None:
    """What R starts of a profile: its newest run, else a branch of another's."""
    if isinstance(plan, LaunchPlan):
        return plan if plan.kind == "resume" else plan.instead
    return plan.fallback if isinstance(plan, Refusal) else None


def _with_offer(data: DataDir, catalog: Catalog, entry: ProfileEntry, plan: Plan, now: float) -> Plan:
    """Where nothing of the profile's own goes on: with the newest bot of another profile that fits, as a branch."""
    signature = entry.check.signature if entry.check is not None and entry.check.valid else None
    if signature is None or isinstance(plan, OpenRun) or (isinstance(plan, LaunchPlan) and plan.kind == "resume"):
        return plan
    for run in catalog.runs:
        trains = run.state == "training"  # its checkpoints go
        state = run.checkpoint if not trains else run.milestones[-1] if run.milestones else None
        if state and state.meta and run.profile != entry.name and not signature.differences(state.meta.signature):
            offer = plan_fork(data, state.path, entry, now)
            if isinstance(offer, LaunchPlan):
                return replace(plan, fallback=offer) if isinstance(plan, Refusal) else replace(plan, instead=offer)
    return plan


def plan_stamp(catalog: Catalog, item: Item) -> object:
    """What a plan rests on: the profile, and the runs: who trains which with what, and their saved states."""
    entry = profile_at(catalog, item)
    saved = tuple(
        (run.name, run.state, run.start, run.profile, run.checkpoint, len(run.milestones)) for run in catalog.runs
    )
    return entry.check if entry else None, saved


def plan_profile(data: DataDir, entry: ProfileEntry, now: float, *, new: bool = False, force: bool = False) -> Plan:
    """Of a profile that the child found valid; forced, also of one whose parts failed when they were tried."""
    check = entry.check
    if check is None or check.signature is None or not (check.valid or (force and check.forcible)):
        return Refusal("the profile is not valid", "e opens its form")
    try:
        mode = "new" if new else "own"
        plan = _launch(StartRequest(data, check.signature, entry.name, mode=mode, now=now, **_of_profile(check)))
    except NothingFits as error:
        return plan_profile(data, entry, now, new=True, force=True) if force else Refusal(error.message)
    except RltuiError as error:
        return Refusal(error.message)
    return replace(plan, force=force)


def plan_run(data: DataDir, run: RunSummary, now: float) -> Plan:
    """Going on with a run that is not being trained, with the profile of its newest start."""
    paths = data.run(run.name)
    profile = str(paths.profile) if paths.profile.is_file() else run.profile
    if not profile:
        return Refusal("nothing of it was saved")
    try:
        return _launch(StartRequest(data, None, profile, run=run.name, now=now))
    except RltuiError as error:
        return Refusal(error.message)


def plan_state(data: DataDir, run: str, state: Path, now: float) -> Plan:
    """Going on from this very state, with the profile that it was trained with; a branch where it is not its run's newest."""
    paths = data.run(run)
    try:
        return _plan_state(data, paths, state, now)
    except DamagedState as error:
        fallback = None
        if error.instead is not None:
            with contextlib.suppress(RltuiError):
                fallback = _plan_state(data, paths, error.instead, now)
        return Refusal(error.message, "" if fallback else "the run has no good state before it", fallback)
    except RltuiError as error:
        return Refusal(error.message)


def plan_fork(data: DataDir, state: Path, profile: ProfileEntry, now: float) -> Plan:
    """A new run of this profile that begins as the state in that folder."""
    check = profile.check
    if check is None or not check.valid or check.signature is None:
        return Refusal("the profile is not valid")
    try:
        mode = str(state)
        start = StartRequest(data, check.signature, profile.name, mode=mode, fork=True, now=now, **_of_profile(check))
        return plan_launch(start)
    except RltuiError as error:
        return Refusal(error.message)


def _of_profile(check: ProfileCheck) -> dict[str, Any]:
    """What is warned about by."""
    return {"sources": check.summary.sources, "said": check.summary.said} if check.summary else {}


def saved_profile(paths: RunPaths, state: Path) -> Path:
    """With which a state was trained: the one saved with it; of a campaign the run's, since a state's is one phase alone."""
    return paths.profile if _is_campaign(paths.profile) else state / STATE_FILE


def enter_lines(plan: Plan | None, width: int, key: str = "Enter") -> list[Line]:
    """What the key will do, and why."""
    return [text_line(f"{key} will", "title"), *indented(plan_lines(plan, width - INDENT))]


def offer_words(offer: LaunchPlan) -> str:
    """A branch of another profile's run."""
    return f"Branch off from {offer.parent_run} at {offer.timesteps:,} timesteps, so far of {offer.trained_with}"


def plan_lines(plan: Plan | None, width: int, *, title: bool = True) -> list[Line]:
    """What would happen, or each difference that keeps it from happening; None: not known yet."""
    if plan is None:
        return [text_line("looking at the checkpoints …", "muted")]
    if isinstance(plan, OpenRun):
        return [*wrap(f"open {plan.run}, live", width, "strong"), *wrap("it trains this profile now", width)]
    if isinstance(plan, Refusal):
        return _refusal_lines(plan, width)
    lines = [*(wrap(plan.title, width, "strong") if title else ()), *wrap(plan.why, width)]
    warnings = plan.warnings
    if plan.reached:
        warnings = (*warnings, f"its limit of {plan.steps:,} timesteps is reached: asks for another")
    elif plan.steps is not None:
        lines += wrap(f"until {plan.steps:,} timesteps", width)
    return lines + [row for warning in warnings for row in wrap(f"! {warning}", width, "warn")]


def _refusal_lines(plan: Refusal, width: int) -> list[Line]:
    head, *reasons = plan.words.split("\n")
    lines = wrap(f"✗ not start: {head}", width, "bad")
    for reason in reasons[:MOST_REASONS]:
        first, *others = _HASH.sub(r"\1…", reason.strip()).split("; ")  # the others mostly follow from it
        lines += wrap(f"  {first}{f'; {len(others)} more' if others else ''}", width, "muted")
    if len(reasons) > MOST_REASONS:
        lines.append(text_line(f"  … and {len(reasons) - MOST_REASONS} more", "muted"))
    return [*lines, *(wrap(plan.hint, width, "muted") if plan.hint else [])]


def next_round_total(timesteps: int) -> int:
    """The next total with a single digit that counts, 4,000,000 above 3,000,320."""
    unit: int = 10 ** (len(str(timesteps)) - 1)
    return (timesteps // unit + 1) * unit


def _plan_state(data: DataDir, paths: RunPaths, state: Path, now: float) -> LaunchPlan:
    profile = saved_profile(paths, state)
    plan = _launch(StartRequest(data, None, str(profile), mode=str(state), now=now))
    how = "the run's campaign" if profile == paths.profile else "its own profile"
    return replace(plan, why=f"{plan.why}, with {how}")


def _launch(start: StartRequest) -> LaunchPlan:
    """With the step limit that the run's newest start had. A branch is a line of its own: it has none."""
    plan = plan_launch(start)
    return replace(plan, steps=step_limit(start.data.run(plan.run))) if plan.kind == "resume" else plan


def _is_campaign(profile: Path) -> bool:
    """Whether phases follow each other in it: a state's own profile is one of them alone."""
    try:
        curriculum = toml_values(safe_io.read_text(profile, MAX_BYTES)).get("curriculum")
    except (OSError, ValueError):
        return False
    return isinstance(curriculum, Mapping) and bool(curriculum.get("phases"))
