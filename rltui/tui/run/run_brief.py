"""RunBrief: of another run what tells whether it is the one to compare with. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui import formatting


@dataclass(frozen=True, slots=True)
class RunBrief:
    """state: as RunSummary has it. updated: Unix seconds of the newest record or checkpoint. Unknown is None."""

    name: str
    state: str = ""
    profile: str | None = None
    timesteps: int | None = None
    updated: float | None = None


def notes(briefs: Sequence[RunBrief], now: float) -> list[str]:
    """`phase-1-ball-touching   12.4 M timesteps  training`: columns one below the other; of what trains not its age."""
    profiles = [brief.profile or formatting.UNKNOWN for brief in briefs]
    widest = max((len(profile) for profile in profiles), default=0)
    return [_note(brief, profile, widest, now) for brief, profile in zip(briefs, profiles, strict=True)]


def _note(brief: RunBrief, profile: str, widest: int, now: float) -> str:
    last = (
        "training"
        if brief.state == "training"
        else formatting.ago(None if brief.updated is None else now - brief.updated)
    )
    return f"{profile:<{widest}}  {formatting.short(brief.timesteps):>7} timesteps  {last}"
