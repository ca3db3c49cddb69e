"""Which changes by hand hold now: of a setting the one that the header has, of a flag the newest for each worker. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from rltui.events.records import SettingChanged
from rltui.tui.run.model import RunSnapshot


def in_force(snapshot: RunSnapshot) -> frozenset[SettingChanged]:
    """Of the audit. What was taken back, replaced, undone by a resume, or ended with a lesson or the trainer, holds no more."""
    changes = [record for record in snapshot.audit if isinstance(record, SettingChanged)]
    settings = _settings(snapshot, [record for record in changes if record.switch is None])
    return frozenset((*settings, *_flags(snapshot, changes)))


def _settings(snapshot: RunSnapshot, changes: Iterable[SettingChanged]) -> list[SettingChanged]:
    """By the header, for a resume to before the newest change puts an older one in force; before there is one, the newest."""
    header, values = snapshot.header, {record.setting: record.value for record in changes}
    made = {(record.setting, record.value): record for record in changes if not record.profile}
    holding = values if header is None else header.by_hand
    return [made[item] for item in holding.items() if item in made]


def _flags(snapshot: RunSnapshot, changes: Iterable[SettingChanged]) -> Iterable[SettingChanged]:
    """They end with the trainer that was told. What is for all replaces each worker's own."""
    newest: dict[tuple[str, int | None], SettingChanged] = {}
    told_since = snapshot.opened.time if snapshot.opened is not None else 0.0
    for record in changes if not snapshot.ended else ():
        switch = record.switch
        if switch is None:
            continue
        for key in [key for key in newest if key[0] == switch.flag and switch.worker in (None, key[1])]:
            del newest[key]
        if switch.on and record.time >= told_since:
            newest[switch.flag, switch.worker] = record
    return newest.values()
