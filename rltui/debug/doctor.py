"""The doctor: can this machine train this profile? Runs the checks, small functions that say what they found.

A check never raises: what goes wrong in it, in a user's component too, is its finding. One that needs another which has
failed is not tried.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rltui.debug.doctor_check import DoctorCase, DoctorCheck, DoctorFinding, DoctorResult
from rltui.debug.doctor_machine import MACHINE_CHECKS, ROOM_CHECKS
from rltui.debug.doctor_profile import PART_CHECKS, PROFILE_CHECKS
from rltui.debug.doctor_training import LEARNING_CHECKS, MEASURE, SPEED_CHECKS
from rltui.errors import RltuiError, did_you_mean
from rltui.profile.source import ProfileError

CHECKS: tuple[DoctorCheck, ...] = (
    *MACHINE_CHECKS, *PROFILE_CHECKS, *PART_CHECKS, *ROOM_CHECKS, *SPEED_CHECKS, *LEARNING_CHECKS,
)  # fmt: skip
ALL = {check.name: check for check in (*CHECKS, MEASURE)}
OWN_FOLDER = Path(__file__).parents[1]


def chosen(names: Sequence[str]) -> list[DoctorCheck]:
    """The checks of these names, in this order. RltuiError for one that is none."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        near = did_you_mean(unknown[0], ALL)
        raise RltuiError(f"unknown check {unknown[0]!r}", near or f"there are: {', '.join(ALL)}", exit_code=2)
    return [ALL[name] for name in names]


def examine(
    case: DoctorCase, checks: Sequence[DoctorCheck] = CHECKS, begins: Callable[[str], None] = lambda name: None
) -> Iterator[DoctorFinding]:
    """One finding after the other, as they come. begins: told the name of each check that is about to run."""
    unsound: set[str] = set()
    for check in checks:
        missing = [name for name in check.needs if name in unsound]
        begins(check.name)
        started = time.perf_counter()
        result = DoctorResult("warn", f"not tried, for {missing[0]} failed") if missing else _tried(check, case)
        if missing or result.outcome == "fail":
            unsound.add(check.name)
        seconds = time.perf_counter() - started
        yield DoctorFinding(check.name, result.outcome, result.sentence, result.advice, seconds, result.figures)


def _tried(check: DoctorCheck, case: DoctorCase) -> DoctorResult:
    try:
        with np.errstate(all="ignore"):  # what comes of it is looked at
            if check.of_game and case.profile.env:
                return DoctorResult("pass", "skipped: the environment is your own")
            return check.function(case)
    except ProfileError as error:
        return DoctorResult("fail", "\n".join(map(str, error.problems)) or error.message, error.hint)
    except RltuiError as error:
        return DoctorResult("fail", error.message, error.hint)
    except Exception as error:  # a user's component or a library may raise anything
        return DoctorResult("fail", f"{type(error).__name__}: {error}", f"raised in {_where(error)}")


def _where(error: Exception) -> str:
    """The newest line of the trace outside this program, else the newest."""
    frames = traceback.extract_tb(error.__traceback__)
    foreign = [frame for frame in frames if OWN_FOLDER not in Path(frame.filename).parents]
    frame = (foreign or list(frames))[-1]
    return f"{frame.filename}, line {frame.lineno}: {frame.line}"
