"""Run state, flags and settings in force, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rltui import formatting
from rltui.events.records import SettingChanged, state_word
from rltui.run_state.snapshot import FlagRow, RunSnapshot

SILENT_AFTER = 5.0  # seconds without a live frame or a record
SILENT_WHILE_STARTING = 60.0  # importing torch and spawning workers says nothing for a while
_STATES = {
    "starting": ("STARTING", "◌", "busy"),
    "collecting": ("COLLECTING", "●", "good"),
    "running": ("RUNNING", "●", "good"),
    "learning": ("UPDATING", "◆", "busy"),
    "saving": ("SAVING", "↓", "busy"),
    "paused": ("PAUSED", "‖", "warn"),
    "stopping": ("STOPPING", "■", "warn"),
    "stopped": ("STOPPED", "■", "idle"),
    "failed": ("FAILED", "✗", "bad"),
}
SHORT: Mapping[str, str] = {
    "global_debug_mode": "global",
    "debug_actions": "actions",
    "debug_learning": "learning",
    "debug_checkpoints": "checkpoints",
    "debug_turtled_start": "turtled start",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """word: COLLECTING, PAUSED, SILENT …; role: good, busy, warn, bad, idle; detail: the reason or the age, or empty."""

    word: str
    symbol: str
    role: str
    detail: str = ""
    running: bool = True  # a trainer is believed to be there


def condition(snapshot: RunSnapshot, now: float) -> Condition:
    """now: Unix seconds."""
    if snapshot.reader_problem:
        return Condition("NOT READING", "✗", "bad", f"this viewer's reader ended: {snapshot.reader_problem}")
    if snapshot.finished is not None:
        return _ended(snapshot)
    if snapshot.gone:
        return _gone(snapshot)
    if snapshot.header is None:
        return _before_the_first_record(snapshot)
    if snapshot.alive is False:
        return _unclean(snapshot, now)
    quiet = _silence(snapshot, now)
    if quiet is not None:
        return Condition(
            "SILENT",
            "?",
            "bad",
            f"no word from the trainer for {formatting.age(quiet)}, was {state_word(snapshot.state)}",
        )
    word, symbol, role = _STATES.get(snapshot.state or "", ((snapshot.state or "unknown").upper(), "?", "warn"))
    return Condition(word, symbol, role, snapshot.reason)


def _ended(snapshot: RunSnapshot) -> Condition:
    finished = snapshot.finished
    assert finished is not None
    if finished.exit_code != 0:
        return Condition("FAILED", "✗", "bad", finished.reason + _lost(snapshot), running=False)
    limit = snapshot.header.step_limit if snapshot.header else None
    if limit is not None and finished.timesteps >= limit:
        return Condition("FINISHED", "✓", "good", finished.reason, running=False)
    return Condition("STOPPED", "■", "idle", finished.reason, running=False)


def _gone(snapshot: RunSnapshot) -> Condition:
    if snapshot.link.connected:
        detail = f"the run's folder was deleted: the trainer is {state_word(snapshot.state)}, but nothing more is recorded or shown"
        return Condition("FOLDER GONE", "!", "bad", detail)
    return Condition("FOLDER GONE", "!", "bad", "the run's folder was deleted", running=False)


def _before_the_first_record(snapshot: RunSnapshot) -> Condition:
    if snapshot.alive is False:
        return Condition("DID NOT START", "✗", "bad", "its output is in the log", running=False)
    return Condition("STARTING", "◌", "busy", "the trainer loads torch, then starts its workers")


def _unclean(snapshot: RunSnapshot, now: float) -> Condition:
    if snapshot.state == "failed":
        return Condition("FAILED", "✗", "bad", snapshot.reason + _lost(snapshot), running=False)
    news = snapshot.news_time
    when = f"last word {formatting.ago(now - news)}" if news is not None else "it never said a word"
    return Condition(
        "ENDED UNCLEANLY", "!", "bad", f"the trainer's process is gone, {when}{_lost(snapshot)}", running=False
    )


def _lost(snapshot: RunSnapshot) -> str:
    """The steps since the newest checkpoint or milestone; empty where none was heard of, or nothing came after."""
    saved = snapshot.saved_timesteps
    lost = snapshot.timesteps - saved if saved is not None else 0
    return f"; {lost:,} unsaved timesteps lost" if lost > 0 else ""


def _silence(snapshot: RunSnapshot, now: float) -> float | None:
    """Seconds of silence where that is too long."""
    news = snapshot.news_time
    if news is None:
        return None
    limit = SILENT_WHILE_STARTING if snapshot.state == "starting" else SILENT_AFTER
    return now - news if now - news > limit else None


def flags_on(snapshot: RunSnapshot) -> tuple[FlagRow, ...]:
    """As the trainer says; none where nobody is connected to hear it."""
    return snapshot.flags if snapshot.link.connected and snapshot.finished is None else ()


def is_on(snapshot: RunSnapshot, flag: str) -> bool:
    """For any worker."""
    return any(row.flag == flag for row in flags_on(snapshot))


def state_of(snapshot: RunSnapshot, flag: str, worker: int | None = None) -> str:
    """on, off, or part: on for some of the workers where all are asked about (worker None)."""
    row = next((row for row in flags_on(snapshot) if row.flag == flag), None)
    if row is None:
        return "off"
    if row.workers is None:
        return "on"
    return "part" if worker is None else "on" if worker in row.workers else "off"


def flag_words(snapshot: RunSnapshot) -> str:
    """`actions, turtled start (worker 1)`; empty while all are off."""
    return ", ".join(SHORT.get(row.flag, row.flag) + _where(row) for row in flags_on(snapshot))


def _where(row: FlagRow) -> str:
    return "" if row.workers is None else f" (worker {', '.join(map(str, row.workers))})"


def in_force(snapshot: RunSnapshot) -> frozenset[SettingChanged]:
    """Of the audit. What was taken back, replaced, undone by a resume, or ended with a task or the trainer, holds no more."""
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
    """They end with the trainer that was asked. What is for all replaces each worker's own."""
    newest: dict[tuple[str, int | None], SettingChanged] = {}
    for record in changes if not snapshot.ended else ():
        switch = record.switch
        if switch is not None:
            for key in [key for key in newest if key[0] == switch.flag and switch.worker in (None, key[1])]:
                del newest[key]
            if switch.on:
                newest[switch.flag, switch.worker] = record
        if record == snapshot.changed_before:
            newest.clear()
    return newest.values()
