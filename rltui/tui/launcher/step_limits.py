"""The step limit of a run that goes on: kept while it lies ahead; asked for anew where it is reached. Pure, but for reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rltui.runs.journal_reader import step_limit
from rltui.runs.paths import DataDir
from rltui.runs.resume import ResumePlan

if TYPE_CHECKING:
    from rltui.tui.launcher.offers import Offer


def limited(data: DataDir, plan: ResumePlan, offer: Offer) -> Offer:
    """The offer to go on with a run, with the limit that its newest start had. A branch is a line of its own: it has none."""
    limit = step_limit(data.run(plan.run)) if plan.kind == "resume" else None
    if limit is None:
        return offer
    if limit > plan.timesteps:
        reason = f"{offer.reason}; it ends at {limit:,} timesteps, as it was started to"
        return replace(offer, reason=reason, args=(*offer.args, "--steps", str(limit)))
    warning = f"it has reached its limit of {limit:,} timesteps: you are asked for a new one before it starts"
    return replace(offer, warnings=(*offer.warnings, warning), reached=limit, timesteps=plan.timesteps)


def with_total(offer: Offer, total: int | None) -> Offer:
    """With a new limit in the place of the one that is reached; None: until it is stopped."""
    ends = f"it ends at {total:,} timesteps" if total is not None else "until you stop it"
    args = ("--steps", str(total)) if total is not None else ()
    return replace(offer, reason=f"{offer.reason}; {ends}", args=(*offer.args, *args), reached=None)


def larger_than(timesteps: int) -> int:
    """A total to propose: the next one with a single digit that counts, 4,000,000 above 3,000,320."""
    unit: int = 10 ** (len(str(timesteps)) - 1)
    return (timesteps // unit + 1) * unit
