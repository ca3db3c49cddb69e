"""What launching the highlighted thing would do, from where and why, before it happens.

Reads checkpoints to the last byte, so it is asked from a thread. now: Unix seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.runs import meta, trainer_state
from rltui.runs.checkpoint import DamagedError
from rltui.runs.inventory import CheckpointInfo, SavedState
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir
from rltui.runs.resume import BeingTrained, NothingFits, ResumePlan, choose_resume, told_of_sources
from rltui.runs.summary import RunSummary
from rltui.tui.checks.profile_check import ProfileSummary
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.step_limits import limited

# What it does: the plan's three, or it shows a run that is being trained. Why it does nothing: a trainer has the run,
# nothing that is saved fits the profile, anything else.
OfferKind = Literal["new", "resume", "branch", "open", "in training", "nothing fits", "refused"]


@dataclass(frozen=True, slots=True)
class Offer:
    """profile, run, args: for supervise.launch.detached. run is also the one to open. refused: why it cannot be done, in
    words; then the rest is empty.

    reached: the step limit that the run has reached, with its timesteps: a new one is to be asked for before it starts.
    """

    kind: OfferKind
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


def offer_open(run: RunSummary) -> Offer:
    """Showing the run in which a profile is being trained now: a second trainer of it is not what enter should start."""
    return Offer(
        "open",
        f"open run {run.name}, live",
        "this profile is being trained there now; nothing is started, and the training is not disturbed",
        run=run.name,
    )


def refusal(words: str, hint: str = "") -> Offer:
    """Nothing can be done, for a reason of its own."""
    return Offer("refused", refused=words, hint=hint)


def offer_refused(error: RltuiError) -> Offer:
    """What choosing a plan failed with."""
    kind: OfferKind = "refused"
    if isinstance(error, BeingTrained):
        kind = "in training"
    elif isinstance(error, NothingFits):
        kind = "nothing fits"
    return Offer(kind, refused=error.message, hint=error.hint)


def offer_profile(data: DataDir, entry: ProfileEntry, now: float, *, new: bool = False, force: bool = False) -> Offer:
    """For a profile that the child found valid; forced, also for one whose parts failed when they were tried."""
    check = entry.check
    if check is None or not (check.valid or (force and check.forcible)):
        hint = "F launches it all the same" if check is not None and check.forcible else "e opens its form"
        return refusal("the profile is not valid", hint)
    if check.signature is None:
        return refusal("the check of this profile does not say what its bots look like")
    mode = "new" if new else "auto"
    offer = _offer(data, check.signature, entry.name, now, mode=mode, summary=check.summary)
    return replace(offer, args=(*offer.args, "--force")) if force and not offer.refused else offer


def offer_resume(data: DataDir, run: RunSummary, now: float) -> Offer:
    """Going on with a run that is not being trained, with the profile of its newest start."""
    paths = data.run(run.name)
    meta = run.checkpoint.meta if run.checkpoint else run.milestones[-1].meta if run.milestones else None
    if meta is None:
        return refusal("it has no complete checkpoint to go on from", "launch its profile for a new run")
    profile = paths.profile if paths.profile.is_file() else Path(run.profile or "")
    return _offer(data, meta.signature, str(profile), now, run=run.name)


def offer_milestone(data: DataDir, saved: SavedState, now: float) -> Offer:
    """Training on from a milestone, with the profile that it was saved with."""
    if saved.meta is None:
        return refusal(saved.damage or "it cannot be read")
    return _offer(data, saved.meta.signature, str(Path(saved.path) / STATE_FILE), now, mode=saved.path)


def offer_at(data: DataDir, info: CheckpointInfo, profile: str, now: float) -> Offer:
    """Training on from a saved state, with this profile."""
    if info.meta is None:
        return refusal(info.damage or "it cannot be read")
    return _offer(data, info.meta.signature, profile, now, mode=str(info.path))


def _offer(
    data: DataDir,
    signature: Signature,
    profile: str,
    now: float,
    *,
    run: str | None = None,
    mode: str = "auto",
    summary: ProfileSummary | None = None,
) -> Offer:
    """summary: of the profile, where it is known."""
    try:
        plan = choose_resume(data, signature, profile=profile, run=run, mode=mode, now=now)
    except RltuiError as error:
        return offer_refused(error)
    plan = told_of_sources(plan, summary.sources if summary else {})
    phase = _phase(plan, summary) if summary and summary.phases else 0
    offer = Offer(
        plan.kind, title_of(plan), plan.reason, plan.warnings, profile, plan.run, _arguments(plan, mode), phase
    )
    return limited(data, plan, offer)


def _phase(plan: ResumePlan, summary: ProfileSummary) -> int:
    """Of a campaign: where its bot stands, by the name of the phase's profile."""
    if plan.checkpoint is None:
        return 0
    names = [phase.profile for phase in summary.phases]
    try:
        state = trainer_state.read(plan.checkpoint)
        stood = state.curriculum.profile if state and state.curriculum else meta.read(plan.checkpoint).profile
    except (RltuiError, OSError, DamagedError):
        return 0
    return names.index(stood) if stood in names else 0


def title_of(plan: ResumePlan) -> str:
    """In three words."""
    match plan.kind:
        case "resume":
            return f"resume {plan.run} at {plan.timesteps:,} timesteps"
        case "branch":
            return f"branch off as {plan.run} at {plan.timesteps:,} timesteps"
        case "new":
            return f"start the new run {plan.run}"


def _arguments(plan: ResumePlan, mode: str) -> tuple[str, ...]:
    """What makes the trainer do just what was shown: the run is named, so it cannot choose another."""
    if plan.kind == "new":
        return ("--resume", "new")
    return ("--resume", mode) if plan.kind == "branch" else ()
