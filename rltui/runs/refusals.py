"""Why a start is refused, where a caller decides by it; every other reason is a plain RltuiError."""

from __future__ import annotations

from rltui.errors import RltuiError


class BeingTrained(RltuiError):
    """A trainer has the run: nothing is wrong with what is saved of it."""


class NothingFits(RltuiError):
    """What is saved does not fit the profile: training can only start from zero."""
