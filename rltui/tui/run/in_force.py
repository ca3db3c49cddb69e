"""Which changes by hand hold now: the newest of each thing, a flag's for each worker. Pure."""

from __future__ import annotations

from rltui.events.records import SettingChanged
from rltui.tui.run.model import RunSnapshot


def in_force(snapshot: RunSnapshot) -> frozenset[SettingChanged]:
    """Of the audit. What was taken back, replaced, or ended with a lesson or a start of the trainer, holds no more."""
    newest: dict[tuple[str, str], SettingChanged] = {}
    for record in snapshot.audit:
        if isinstance(record, SettingChanged):
            _take(newest, record)
    return frozenset(record for record in newest.values() if _holds(snapshot, record))


def _take(newest: dict[tuple[str, str], SettingChanged], record: SettingChanged) -> None:
    """newest: by what is set and, of a flag, in which worker; `` for all of them, which replaces each worker's own."""
    name, where, is_on = record.setting, "", True
    if record.value is None:
        name, _, rest = record.setting.partition(" ")
        state, _, where = rest.partition(" ")
        is_on = state != "off"
    if not where:
        for key in [key for key in newest if key[0] == name]:
            del newest[key]
    newest.pop((name, where), None)
    if is_on and not record.profile:
        newest[name, where] = record


def _holds(snapshot: RunSnapshot, record: SettingChanged) -> bool:
    """Flags end with the trainer that was told; of the others the header says what goes on."""
    if record.value is None:
        return snapshot.opened is None or record.time >= snapshot.opened.time
    return snapshot.header is None or snapshot.header.by_hand.get(record.setting) == record.value
