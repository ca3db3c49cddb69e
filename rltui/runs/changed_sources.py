"""Notices of a resume: a user's own component whose file is another than when the checkpoint was saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rltui.runs import meta
from rltui.runs.checkpoint import DamagedError
from rltui.runs.resume_plan import ResumePlan


def told_of_sources(plan: ResumePlan, sources: Mapping[str, str]) -> ResumePlan:
    """The plan with a warning for each changed file. sources: name → hash of the file, as the profile has them now."""
    if plan.checkpoint is None or not sources:
        return plan
    try:
        then = meta.read(plan.checkpoint).sources
    except (OSError, DamagedError):  # the plan's own reader says so
        return plan
    return replace(plan, warnings=(*plan.warnings, *changed_sources(sources, then)))


def changed_sources(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """One sentence for each file that was another one when a state was saved; what was not there then is no change."""
    return [
        f"{name} is not as it was when this was saved: its file has been changed since"
        for name, content in now.items()
        if then.get(name, content) != content
    ]
