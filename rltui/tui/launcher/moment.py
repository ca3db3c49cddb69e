"""What the launcher's words rest on beside the catalogue: the moment, the offer, what has been checked and measured."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui.checks.preflight import Preflight
from rltui.tui.launcher.estimate import Estimate
from rltui.tui.launcher.offers import Offer


@dataclass(frozen=True, slots=True)
class Moment:
    """now: Unix seconds. free_memory_mb: None where it is not known. offer: None while it is being worked out."""

    now: float
    offer: Offer | None = None
    free_memory_mb: float | None = None
    preflight: Preflight | None = None
    estimate: Estimate | None = None
