"""Which change came shortly before something began that is not as it should be: to be looked at before anything else. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rltui import figures
from rltui.events.records import SettingChanged, change_words
from rltui.tui.run.in_force import in_force
from rltui.tui.run.model import Mark, RunSnapshot

BEFORE = 50  # iterations from a change to what it does
EARLY = 9  # iterations by which a beginning can be put too early, being found by medians
_TAKEN_BACK = {"learning rate": ": lr profile", "entropy": ": entropy profile"}


def cause(snapshot: RunSnapshot, row: int) -> str:
    """Of what began at about this row: since which change, and how it is taken back; empty where there was none."""
    mark = _nearest(
        _changes(snapshot), _steps(snapshot, row - BEFORE), _steps(snapshot, row), _steps(snapshot, row + EARLY)
    )
    if mark is None:
        return ""
    since = f"since {mark.label} at {figures.short(mark.timesteps)} steps"
    record = _by_hand(snapshot, mark)
    if record is None:
        return f"{since}, by the profile: set it back there"
    if record not in in_force(snapshot):
        return f"{since}, which holds no more: go on from a milestone of before it unless this mends"
    return f"{since}: take it back with `{_back(record.setting)}`"


def _changes(snapshot: RunSnapshot) -> list[Mark]:
    """All but those that took something back."""
    found = [mark for mark in snapshot.marks if mark.kind == "changed"]
    back = [record for record in snapshot.audit if isinstance(record, SettingChanged) and _takes_back(record)]
    places = {(record.timesteps, change_words(record)) for record in back}
    return [mark for mark in found if (mark.timesteps, mark.label) not in places]


def _takes_back(record: SettingChanged) -> bool:
    return record.profile or " off" in record.setting


def _nearest(marks: Sequence[Mark], first: int, start: int, last: int) -> Mark | None:
    """The newest before the start, else the first after it."""
    near = [mark for mark in marks if first <= mark.timesteps <= last]
    before = [mark for mark in near if mark.timesteps <= start]
    return before[-1] if before else next(iter(near), None)


def _by_hand(snapshot: RunSnapshot, mark: Mark) -> SettingChanged | None:
    """The record of this mark; None where a start with an edited profile made it."""
    records = (record for record in snapshot.audit if isinstance(record, SettingChanged))
    return next((one for one in records if (one.timesteps, change_words(one)) == (mark.timesteps, mark.label)), None)


def _back(setting: str) -> str:
    """What is typed."""
    if setting.startswith("debug_"):
        name, _, where = setting.partition(" on")
        return f": flag {name} off{where.replace(' in worker', '')}"
    return _TAKEN_BACK.get(setting, f": {setting} profile")


def _steps(snapshot: RunSnapshot, row: int) -> int:
    """Timesteps of a row; of those before the first and after the last, of these."""
    history = snapshot.history
    return int(history.timesteps[min(max(row, 0), history.length - 1)]) if history.length else 0
