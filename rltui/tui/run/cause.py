"""Which change came shortly before something began that is not as it should be: to be looked at before anything else. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rltui import formatting
from rltui.events.records import ENTROPY, RATE, SettingChanged, reward_of
from rltui.tui.run.in_force import in_force
from rltui.tui.run.model import Mark, RunSnapshot

BEFORE = 50  # iterations from a change to what it does
EARLY = 9  # iterations by which a beginning can be put too early, being found by medians
NAMED = 2  # changes of one edit that are told one by one
_TYPED = {RATE: "lr", ENTROPY: "entropy"}  # as change_words.py reads them


def cause(snapshot: RunSnapshot, row: int) -> str:
    """Of what began at about this row: since which change, and how it is taken back; empty where there was none."""
    mark = _nearest(
        _changes(snapshot), _steps(snapshot, row - BEFORE), _steps(snapshot, row), _steps(snapshot, row + EARLY)
    )
    if mark is None:
        return ""
    where = f"at {formatting.short(mark.timesteps)} timesteps"
    if edits := _edits_with(snapshot, mark):
        them = "it" if len(edits) == 1 else "them"
        return f"since {_listed([one.label for one in edits])} {where}, by the profile: set {them} back there"
    if mark.by_hand is None or mark.by_hand not in in_force(snapshot):
        return f"since {mark.label} {where}, which holds no more: go on from a milestone of before it unless this mends"
    return f"since {mark.label} {where}: take it back with `{_back(mark.by_hand)}`"


def _changes(snapshot: RunSnapshot) -> list[Mark]:
    """All but those that took something back."""
    found = (mark for mark in snapshot.marks if mark.kind == "changed")
    return [mark for mark in found if mark.by_hand is None or not mark.by_hand.takes_back]


def _nearest(marks: Sequence[Mark], first: int, start: int, last: int) -> Mark | None:
    """The newest before the start, else the first after it."""
    near = [mark for mark in marks if first <= mark.timesteps <= last]
    before = [mark for mark in near if mark.timesteps <= start]
    return before[-1] if before else next(iter(near), None)


def _edits_with(snapshot: RunSnapshot, mark: Mark) -> list[Mark]:
    """All that the same edit of the profile changed and that is still so; empty of a change by hand."""
    if mark.by_hand is not None:
        return []
    newest = {one.setting: one for one in snapshot.marks if one.kind == "changed"}
    return [one for one in newest.values() if one.by_hand is None and one.timesteps == mark.timesteps]


def _listed(labels: Sequence[str]) -> str:
    """`a and b`; of more than NAMED the first ones and how many more."""
    if len(labels) > NAMED:
        return f"{', '.join(labels[:NAMED])} and {len(labels) - NAMED} more"
    return " and ".join(labels)


def _back(record: SettingChanged) -> str:
    """What is typed."""
    if (switch := record.switch) is not None:
        return f": flag {switch.flag} off" + ("" if switch.worker is None else f" {switch.worker}")
    reward = reward_of(record.setting)
    typed = _TYPED.get(record.setting, record.setting) if reward is None else f"reward {reward}"
    return f": {typed} profile"


def _steps(snapshot: RunSnapshot, row: int) -> int:
    """Timesteps of a row; of those before the first and after the last, of these."""
    history = snapshot.history
    return int(history.timesteps[min(max(row, 0), history.length - 1)]) if history.length else 0
