"""By which profile a run is trained now, and what it is taught: the newest header's word, else the newest saved state's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events.records import CurriculumPlanned, Lesson, PhaseChanged, Record, RunStarted, StageChanged
from rltui.runs.meta import Meta

KEPT = ("run", "profile")  # names of the files in which runs and saved states keep profiles


@dataclass(frozen=True)
class LessonNow:
    """Unknown is None. phase_profile: of a campaign, the profile of the phase it is in."""

    profile: str | None
    phase_profile: str | None
    phase: int | None
    label: str | None


def lesson_now(records: Sequence[Record], meta: Meta | None, first: RunStarted | None) -> LessonNow:
    """records: the journal's newest, in which a long run has no header. meta: the newest saved state's.

    first: the header of the run's first start, which says how it began, no more.
    """
    header = next((record for record in reversed(records) if isinstance(record, RunStarted)), None)
    taught = _taught(records)
    begun = header or first
    phase = taught.phase if taught else meta.phase if meta else first.phase if first else None
    label = taught.label if taught else begun.label if begun and begun.phase == phase else None
    return LessonNow(_profile(records, meta, first), _phase_profile(records, header, meta), phase, label)


def _profile(records: Sequence[Record], meta: Meta | None, first: RunStarted | None) -> str | None:
    """The newest name. Earlier versions wrote down a kept file's: one from before it says more."""
    names = [record.profile for record in reversed(records) if isinstance(record, RunStarted)]
    names += [about.profile for about in (meta, first) if about is not None and about.profile]
    return next((name for name in names if name not in KEPT), names[0] if names else None)


def _taught(records: Sequence[Record]) -> RunStarted | Lesson | None:
    """A header, or a curriculum's step after it."""
    found = next(
        (record for record in reversed(records) if isinstance(record, RunStarted | PhaseChanged | StageChanged)), None
    )
    return found.lesson if isinstance(found, PhaseChanged | StageChanged) else found


def _phase_profile(records: Sequence[Record], header: RunStarted | None, meta: Meta | None) -> str | None:
    for record in reversed(records):
        if isinstance(record, PhaseChanged):
            return record.to
        if record is header:
            return _planned(records, header)
    return meta.phase_profile or None if meta else None


def _planned(records: Sequence[Record], header: RunStarted) -> str | None:
    """The profile of the phase in which this start found itself, by the plan that it told."""
    plan = next((record for record in reversed(records) if isinstance(record, CurriculumPlanned)), None)
    phases = plan.phases if plan else []
    here = (phase for phase in phases if (phase.number, phase.label) == (header.phase, header.label))
    return next((phase.profile for phase in here), None)
