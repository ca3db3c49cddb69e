"""LaunchPlan: what launching something would do, from where and why, before it happens.

Making one reads checkpoints to the last byte, so it is done in a thread. now: Unix seconds.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from textual.message import Message

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.runs import meta, trainer_state
from rltui.runs.checkpoint import DamagedError
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.journal_reader import step_limit
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir, RunPaths, absolute
from rltui.runs.resolve import newest_sound_before
from rltui.runs.resume import BeingTrained, NothingFits, ResumePlan, choose_resume, with_source_warnings
from rltui.runs.summary import RunSummary
from rltui.tui.checks.results import ProfileSummary
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.tree import Item, profile_at

# What it does: the three of a ResumePlan, or it shows a run that is being trained. Why it does nothing: a trainer has the
# run, nothing that is saved fits the profile, anything else.
PlanKind = Literal["new", "resume", "branch", "open", "in training", "nothing fits", "refused"]
PLANNED = ("profile", "run", "milestone")  # kinds of items
CAMPAIGN = "with the run's campaign, from where it stood"
OWN = "with the profile that was saved with it"
NOTHING_GOOD = "the run has no good state before it; launch its profile to start anew"


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """profile, run, args: for supervise.launch.detached. run is also the one to open. refused: why it cannot be done, in
    words; then the rest is empty.

    reached: the step limit that the run has reached, with its timesteps: a new one is to be asked for before it starts.
    """

    kind: PlanKind
    title: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    profile: str = ""
    run: str | None = None
    args: tuple[str, ...] = ()
    phase: int = 0  # of a campaign: the phase in which it goes on, from 0
    refused: str = ""
    hint: str = ""
    reached: int | None = None
    timesteps: int = 0


@dataclass(frozen=True, slots=True)
class StatePlan:
    """Going on from a saved state. fallback: from another one, where that state cannot be used; None where nothing can."""

    plan: LaunchPlan
    fallback: LaunchPlan | None = None


class LaunchPlanReady(Message):
    """stamp: of what the plan rests on, as it was when the plan was asked for."""

    def __init__(self, item: Item, stamp: object, plan: LaunchPlan) -> None:
        super().__init__()
        self.item, self.stamp, self.plan = item, stamp, plan


class StatePlanReady(Message):
    """What resuming a saved state would do."""

    def __init__(self, plan: StatePlan) -> None:
        super().__init__()
        self.plan = plan


def plan_item(data: DataDir, catalog: Catalog, item: Item, now: float, *, new: bool = False) -> LaunchPlan | None:
    """Launching what a row stands for. new: a run from zero, whatever else could be done. None for what is gone."""
    if item.kind == "profile":
        entry = profile_at(catalog, item)
        trained = catalog.trained_by(entry) if entry is not None and not new else None
        if trained is not None:
            return plan_open(trained)
        return plan_profile(data, entry, now, new=new) if entry else None
    if item.kind == "run":
        run = catalog.run(item.name)
        return plan_run(data, run, now) if run and run.state != "training" else None
    found = catalog.milestone(item.name)
    return plan_milestone(data, found[1], now) if found else None


def plan_stamp(catalog: Catalog, item: Item) -> object:
    """What a plan rests on: the profile, and the runs' saved states."""
    entry = profile_at(catalog, item)
    saved = tuple((run.name, run.state, run.checkpoint, len(run.milestones)) for run in catalog.runs)
    return entry.check if entry else None, saved


def plan_open(run: RunSummary) -> LaunchPlan:
    """Showing the run in which a profile is being trained now: a second trainer of it is not what enter should start."""
    return LaunchPlan(
        "open",
        f"open run {run.name}, live",
        "this profile is being trained there now; nothing is started, and the training is not disturbed",
        run=run.name,
    )


def plan_profile(
    data: DataDir, entry: ProfileEntry, now: float, *, new: bool = False, force: bool = False
) -> LaunchPlan:
    """Of a profile that the child found valid; forced, also of one whose parts failed when they were tried."""
    check = entry.check
    if check is None or not (check.valid or (force and check.forcible)):
        hint = "F launches it all the same" if check is not None and check.forcible else "e opens its form"
        return refusal("the profile is not valid", hint)
    if check.signature is None:
        return refusal("the check of this profile does not say what its bots look like")
    mode = "new" if new else "auto"
    plan = _plan(data, check.signature, entry.name, now, mode=mode, summary=check.summary)
    return replace(plan, args=(*plan.args, "--force")) if force and not plan.refused else plan


def plan_run(data: DataDir, run: RunSummary, now: float) -> LaunchPlan:
    """Going on with a run that is not being trained, with the profile of its newest start."""
    paths = data.run(run.name)
    meta = run.checkpoint.meta if run.checkpoint else run.milestones[-1].meta if run.milestones else None
    if meta is None:
        return refusal("it has no complete checkpoint to go on from", "launch its profile for a new run")
    profile = paths.profile if paths.profile.is_file() else Path(run.profile or "")
    return _plan(data, meta.signature, str(profile), now, run=run.name)


def plan_milestone(data: DataDir, saved: CheckpointInfo, now: float) -> LaunchPlan:
    """Training on from a milestone, with the profile that it was saved with."""
    return _plan_state(data, saved, saved.path / STATE_FILE, now)


def plan_resume(data: DataDir, run: str, state: CheckpointInfo | None, name: str, now: float) -> StatePlan:
    """Going on from this very state; a branch where it is not its run's newest. None for what is no state.

    name: of the state, in a sentence.
    """
    if state is None:
        return StatePlan(refusal("nothing can go on from this", "choose a milestone or a checkpoint"))
    paths = data.run(run)
    plan = _resume(data, paths, state, now)
    if not plan.refused or (state.damage is None and state.meta is not None and plan.kind == "in training"):
        return StatePlan(plan)
    good = newest_sound_before(paths, state)
    fallback = _resume(data, paths, good, now) if good else None
    refused = _with_name(plan.refused, state.path, name)
    return StatePlan(replace(plan, refused=refused, hint="" if fallback else NOTHING_GOOD), fallback)


def plan_fork(data: DataDir, state: Path, name: str, profile: ProfileEntry, now: float) -> LaunchPlan:
    """A new run of this profile that begins as the state in that folder. name: of the state, in a sentence."""
    check = profile.check
    if check is None or not check.valid or check.signature is None:
        return refusal("the profile is not valid", "mend it in your editor; it is checked again as you save")
    try:
        found = choose_resume(data, check.signature, profile=str(profile.path), mode=str(state), fork=True, now=now)
    except RltuiError as error:
        return refusal(_with_name(error.message, state, name))
    title = f"start the new run {found.run} at {found.timesteps:,} timesteps"
    args = ("--fork-from", str(state))
    return LaunchPlan("branch", title, found.reason, found.warnings, profile.name, found.run, args)


def refusal(words: str, hint: str = "") -> LaunchPlan:
    """Nothing can be done, for a reason of its own."""
    return LaunchPlan("refused", refused=words, hint=hint)


def refused_by(error: RltuiError) -> LaunchPlan:
    """What choosing where to go on from failed with."""
    kind: PlanKind = "refused"
    if isinstance(error, BeingTrained):
        kind = "in training"
    elif isinstance(error, NothingFits):
        kind = "nothing fits"
    return LaunchPlan(kind, refused=error.message, hint=error.hint)


def saved_profile(paths: RunPaths, state: Path) -> Path:
    """With which a state was trained: the one saved with it; of a campaign the run's, since a state's is one phase alone."""
    return paths.profile if _is_campaign(paths.profile) else state / STATE_FILE


def with_step_limit(plan: LaunchPlan, limit: int | None) -> LaunchPlan:
    """With a new limit in the place of the one that is reached; None: until it is stopped."""
    ends = f"it ends at {limit:,} timesteps" if limit is not None else "until you stop it"
    args = ("--steps", str(limit)) if limit is not None else ()
    return replace(plan, reason=f"{plan.reason}; {ends}", args=(*plan.args, *args), reached=None)


def next_round_total(timesteps: int) -> int:
    """The next total with a single digit that counts, 4,000,000 above 3,000,320."""
    unit: int = 10 ** (len(str(timesteps)) - 1)
    return (timesteps // unit + 1) * unit


def _resume(data: DataDir, paths: RunPaths, state: CheckpointInfo, now: float) -> LaunchPlan:
    profile = saved_profile(paths, state.path)
    plan = _plan_state(data, state, profile, now)
    how = CAMPAIGN if profile == paths.profile else OWN
    return plan if plan.refused else replace(plan, reason=f"{plan.reason}; {how}")


def _plan_state(data: DataDir, state: CheckpointInfo, profile: Path, now: float) -> LaunchPlan:
    if state.meta is None:
        return refusal(state.damage or "it cannot be read")
    return _plan(data, state.meta.signature, str(profile), now, mode=str(state.path))


def _plan(
    data: DataDir,
    signature: Signature,
    profile: str,
    now: float,
    *,
    run: str | None = None,
    mode: str = "auto",
    summary: ProfileSummary | None = None,
) -> LaunchPlan:
    """summary: of the profile, where it is known."""
    try:
        found = choose_resume(data, signature, profile=profile, run=run, mode=mode, now=now)
    except RltuiError as error:
        return refused_by(error)
    found = with_source_warnings(found, summary.sources if summary else {})
    phase = _phase(found, summary) if summary and summary.phases else 0
    args: tuple[str, ...] = ()  # the run is named, so that the trainer does just what was shown
    if found.kind == "new":
        args = ("--resume", "new")
    elif found.kind == "branch":
        args = ("--resume", mode)
    plan = LaunchPlan(found.kind, _title(found), found.reason, found.warnings, profile, found.run, args, phase)
    return _with_old_limit(data, found, plan)


def _title(found: ResumePlan) -> str:
    match found.kind:
        case "resume":
            return f"resume {found.run} at {found.timesteps:,} timesteps"
        case "branch":
            return f"branch off as {found.run} at {found.timesteps:,} timesteps"
        case "new":
            return f"start the new run {found.run}"


def _phase(found: ResumePlan, summary: ProfileSummary) -> int:
    """Of a campaign: where its bot stands, by the name of the phase's profile."""
    if found.checkpoint is None:
        return 0
    names = [phase.profile for phase in summary.phases]
    try:
        state = trainer_state.read(found.checkpoint)
        profile = state.curriculum.profile if state and state.curriculum else meta.read(found.checkpoint).profile
    except (RltuiError, OSError, DamagedError):
        return 0
    return names.index(profile) if profile in names else 0


def _with_old_limit(data: DataDir, found: ResumePlan, plan: LaunchPlan) -> LaunchPlan:
    """With the limit that the run's newest start had. A branch is a line of its own: it has none."""
    limit = step_limit(data.run(found.run)) if found.kind == "resume" else None
    if limit is None:
        return plan
    if limit > found.timesteps:
        reason = f"{plan.reason}; it ends at {limit:,} timesteps, as it was started to"
        return replace(plan, reason=reason, args=(*plan.args, "--steps", str(limit)))
    warning = f"it has reached its limit of {limit:,} timesteps: you are asked for a new one before it starts"
    return replace(plan, warnings=(*plan.warnings, warning), reached=limit, timesteps=found.timesteps)


def _with_name(message: str, state: Path, name: str) -> str:
    """The state's name in the place of the option that would name it on the command line."""
    path = absolute(state)
    return message.replace(f"--resume {path}", name).replace(f"--fork-from {path}", name)


def _is_campaign(profile: Path) -> bool:
    """Whether phases follow each other in it: a state's own profile is one of them alone."""
    try:
        curriculum = tomllib.loads(safe_io.read_text(profile)).get("curriculum")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(curriculum, dict) and bool(curriculum.get("phases"))
