"""What the doctor's checks are and give: plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rltui.debug.doctor_case import Case
from rltui.debug.lut_findings import Outcome


@dataclass(frozen=True)
class Result:
    """sentence: what was found; advice: what to do about it, "" where there is nothing to do; figures: numbers for programs."""

    outcome: Outcome
    sentence: str
    advice: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """function: may raise anything, which is then the finding. needs: checks that must not have failed before."""

    name: str
    function: Callable[[Case], Result]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A result with the name of its check, and how long it took."""

    name: str
    outcome: Outcome
    sentence: str
    advice: str
    seconds: float
    figures: Mapping[str, float] = field(default_factory=dict)
