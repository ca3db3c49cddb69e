"""The step limit of a run that goes on: kept while it lies ahead; asked for anew where it is reached. Pure, but for reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rltui.runs.paths import DataDir
from rltui.runs.resume_plan import ResumePlan
from rltui.runs.step_limit import step_limit

if TYPE_CHECKING:
    from rltui.tui.launcher.offers import Offer

UNITS: Mapping[str, int] = {"k": 1_000, "M": 1_000_000}


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


def total_of(text: str) -> int | None:
    """`300000`, `300,000`, `300_000`, `3e5`, `300 k` and `0.3 M` are the same. None for what is no whole number."""
    plain = text.replace(",", "").replace("_", "").strip()
    unit = UNITS.get(plain[-1:], 1)
    try:
        value = float(plain[:-1] if unit > 1 else plain) * unit
        return int(value) if value == int(value) else None
    except (ValueError, OverflowError):
        return None
