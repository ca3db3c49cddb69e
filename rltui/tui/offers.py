"""What launching the highlighted thing would do, from where and why, before it happens.

Reads checkpoints to the last byte, so it is asked from a thread. now: Unix seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.runs.resume import ResumePlan, choose_resume
from rltui.runs.signature import Signature
from rltui.runs.summary import RunSummary, SavedState
from rltui.tui.catalog import ProfileEntry


@dataclass(frozen=True, slots=True)
class Offer:
    """profile, run, args: for supervise.launch.detached. refused: why it cannot be done; then the rest is empty."""

    title: str
    reason: str = ""
    warnings: tuple[str, ...] = ()
    profile: str = ""
    run: str | None = None
    args: tuple[str, ...] = ()
    refused: str = ""
    hint: str = ""


def offer_profile(data: DataDir, entry: ProfileEntry, now: float, *, new: bool = False) -> Offer:
    """For a profile that the child found valid."""
    check = entry.check
    if check is None or not check.valid:
        return Offer(
            "", refused="the profile is not valid", hint="mend it in your editor; it is checked again as you save"
        )
    if check.signature is None:
        return Offer("", refused="the check of this profile does not say what its bots look like")
    return _offer(data, check.signature, entry.name, now, mode="new" if new else "auto")


def offer_resume(data: DataDir, run: RunSummary, now: float) -> Offer:
    """Going on with a run that is not being trained, with the profile of its newest start."""
    paths = data.run(run.name)
    meta = run.checkpoint.meta if run.checkpoint else run.milestones[-1].meta if run.milestones else None
    if meta is None:
        return Offer("", refused="it has no complete checkpoint to go on from", hint="launch its profile for a new run")
    profile = paths.profile if paths.profile.is_file() else Path(run.profile or "")
    return _offer(data, meta.signature, str(profile), now, run=run.name)


def offer_milestone(data: DataDir, saved: SavedState, now: float) -> Offer:
    """Training on from a milestone, with the profile that it was saved with."""
    if saved.meta is None:
        return Offer("", refused=saved.damage or "it cannot be read")
    return _offer(data, saved.meta.signature, str(Path(saved.path) / "profile.toml"), now, mode=saved.path)


def _offer(
    data: DataDir, signature: Signature, profile: str, now: float, *, run: str | None = None, mode: str = "auto"
) -> Offer:
    try:
        plan = choose_resume(data, signature, profile=profile, run=run, mode=mode, now=now)
    except RltuiError as error:
        return Offer("", refused=error.message, hint=error.hint)
    return Offer(title_of(plan), plan.reason, plan.warnings, profile, plan.run, _arguments(plan, mode))


def title_of(plan: ResumePlan) -> str:
    """In three words."""
    match plan.kind:
        case "resume":
            return f"resume {plan.run} at {plan.timesteps:,} steps"
        case "branch":
            return f"branch off as {plan.run} at {plan.timesteps:,} steps"
        case "new":
            return f"start the new run {plan.run}"


def _arguments(plan: ResumePlan, mode: str) -> tuple[str, ...]:
    """What makes the trainer do just what was shown: the run is named, so it cannot choose another."""
    if plan.kind == "new":
        return ("--resume", "new")
    return ("--resume", mode) if plan.kind == "branch" else ()
