"""What became of the last command, in the trainer's words, to stand above the footer. Pure."""

from __future__ import annotations

from rltui import formatting
from rltui.tui.paint import Line
from rltui.tui.run.model import CommandFate, RunSnapshot, Stage

SHOWN = 8.0  # seconds that a final answer stays
_STAGES = {
    "sent": ("◌", "sent", "muted"),
    "accepted": ("◌", "accepted", "busy"),
    "applied": ("✓", "applied", "good"),
    "refused": ("✗", "refused", "bad"),
    "unsent": ("✗", "not sent", "bad"),
    "lost": ("✗", "sent, no answer", "bad"),
}


def answer_line(snapshot: RunSnapshot, now: float, *, leaving: bool = False) -> Line:
    """Empty where there is nothing to say. leaving: the program ends as soon as the run has."""
    if leaving:
        return (("◌ leaving as soon as the run has stopped, q leaves now", "warn"),)
    fate = snapshot.fates[-1] if snapshot.fates else None
    if fate is None or (fate.stage not in ("sent", "accepted") and now - fate.time > SHOWN):
        return ()
    return _line(fate, now)


def _line(fate: CommandFate, now: float) -> Line:
    return _told(fate.name, fate.stage, fate.text or _waiting(fate, now - fate.time))


def unsent(name: str, why: str) -> Line:
    """Of a command for which there is nobody to hear it."""
    return _told(name, "unsent", why)


def _told(name: str, stage: Stage, text: str) -> Line:
    symbol, word, role = _STAGES[stage]
    return ((f"{symbol} ", role), (f"{name} ", "strong"), (word, role), (f": {text}" if text else "", "muted"))


def _waiting(fate: CommandFate, seconds: float) -> str:
    """For how long, once that is worth saying."""
    if fate.stage not in ("sent", "accepted") or seconds < 2:
        return ""
    return f"no answer within {formatting.age(seconds)}" if fate.stage == "sent" else formatting.age(seconds)
