"""Findings: what all iterations so far say of the bot. A snapshot holds them; judging.py finds them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui.run.trend import Trend


@dataclass(frozen=True, slots=True)
class Symptom:
    """iterations: for how many of the newest it is so, at least."""

    words: str
    iterations: int
    to_try: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the reward does since row `first`, under the present rewards, and what is ill, worst first.

    seconds: at work, from the trend's first row to its last; None where not known. rows: of the history that was read.
    basis: what else they rest on, in judging.py's words; None before anything was looked for.
    """

    trend: Trend | None = None
    first: int = 0
    symptoms: tuple[Symptom, ...] = ()
    seconds: float | None = None
    rows: int = 0
    basis: object = None
