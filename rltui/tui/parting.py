"""What the terminal is told when the program is left and training goes on. Pure."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMED = 3


def parting_words(training: Sequence[str]) -> str | None:
    """training: the runs that have a trainer. None where there is none: nothing goes on."""
    if not training:
        return None
    if len(training) == 1:
        return f"{training[0]} keeps training; come back with: rltui attach {training[0]}"
    shown = ", ".join(training[:MOST_NAMED])
    more = f" and {len(training) - MOST_NAMED} more" if len(training) > MOST_NAMED else ""
    return f"{shown}{more} keep training; come back with: rltui attach RUN"
