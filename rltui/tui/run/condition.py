"""How the run is doing, in one word with its symbol and role: from what the trainer said and how long ago. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.events.records import state_word

if TYPE_CHECKING:
    from rltui.tui.run.model import RunSnapshot

SILENT_AFTER = 5.0  # seconds without a live frame or a record
SILENT_WHILE_STARTING = 60.0  # importing torch and spawning workers says nothing for a while


@dataclass(frozen=True, slots=True)
class Condition:
    """word: COLLECTING, PAUSED, SILENT …; role: good, busy, warn, bad, idle; detail: the reason or the age, or empty."""

    word: str
    symbol: str
    role: str
    detail: str = ""
    running: bool = True  # a trainer is believed to be there


_STATES = {
    "starting": ("STARTING", "◌", "busy"),
    "collecting": ("COLLECTING", "●", "good"),
    "learning": ("UPDATING", "◆", "busy"),
    "saving": ("SAVING", "↓", "busy"),
    "paused": ("PAUSED", "‖", "warn"),
    "stopping": ("STOPPING", "■", "warn"),
    "stopped": ("STOPPED", "■", "idle"),
    "failed": ("FAILED", "✗", "bad"),
}


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
