"""Texts of the cockpit: command status, how an ended run goes on, what came while it was frozen."""

from __future__ import annotations

from collections.abc import Iterable

from rltui import formatting
from rltui.events.records import run_again
from rltui.run_state.snapshot import LeftAt, RunSnapshot, Stage
from rltui.tui.actions import COCKPIT, NO_KEY, Action, key_name, plain_name
from rltui.tui.keymap import OwnKeys, with_own_keys
from rltui.tui.text import Line

SHOWN = 8.0  # seconds that a final status stays
_STAGES = {
    "sent": ("◌", "sent", "muted"),
    "accepted": ("◌", "accepted", "busy"),
    "applied": ("✓", "applied", "good"),
    "refused": ("✗", "refused", "bad"),
    "unsent": ("✗", "not sent", "bad"),
    "lost": ("✗", "sent, no answer", "bad"),
}


def command_status(snapshot: RunSnapshot, now: float, *, leaving: bool = False) -> Line:
    """Of the newest command; empty where there is nothing to say. leaving: the program ends as soon as the run has."""
    if leaving:
        return (("◌ leaving as soon as the run has stopped, q leaves now", "warn"),)
    newest = snapshot.command_statuses[-1] if snapshot.command_statuses else None
    if newest is None or (newest.stage not in ("sent", "accepted") and now - newest.time > SHOWN):
        return ()
    symbol, word, role = _STAGES[newest.stage]
    text = newest.text or _waiting(newest.stage, now - newest.time)
    return ((f"{symbol} ", role), (f"{newest.name} ", "strong"), (word, role), (f": {text}" if text else "", "muted"))


def _waiting(stage: Stage, seconds: float) -> str:
    """For how long, once that is worth saying."""
    if stage not in ("sent", "accepted") or seconds < 2:
        return ""
    return f"no answer within {formatting.age(seconds)}" if stage == "sent" else formatting.age(seconds)


def nothing_to_close(own: OwnKeys) -> str:
    """What esc says where it has nothing to close."""
    keys = _keys(COCKPIT, own)
    return f"nothing to close: {keys.get('launcher', NO_KEY)} launcher, {keys.get('leave', NO_KEY)} quit"


def how_to_resume(snapshot: RunSnapshot, own: OwnKeys) -> str:
    """What can be done with a run that has ended."""
    keys = _keys(COCKPIT, own)
    launcher, resume = (keys.get(name, NO_KEY) for name in ("launcher", "resume"))
    if snapshot.gone:
        return f"it is gone from disk: {launcher} opens the launcher"
    if snapshot.header is not None and snapshot.header.command:
        return f"it has ended: {run_again(snapshot.header)} goes on in it"
    if snapshot.saved_timesteps is None:
        return f"it has ended with nothing saved: {resume} starts it anew"
    limit = snapshot.header.step_limit if snapshot.header else None
    if limit is not None and snapshot.saved_timesteps >= limit:
        return f"it has ended at its limit of {limit:,} timesteps: {resume} asks for a new one and trains on"
    return f"it has ended: {resume} resumes it at {snapshot.saved_timesteps:,} timesteps"


def _keys(actions: Iterable[Action], own: OwnKeys) -> dict[str, str]:
    """By the action's name, as the user has them; without those that have none."""
    return {action.name: key_name(action.keys[0]) for action in with_own_keys(actions, own) if action.keys}


def flag_keys(own: OwnKeys) -> dict[str, str]:
    """By flag the key that switches it, and by `flags` that which shows all."""
    names = {action.name: plain_name(action) for action in COCKPIT}
    return {names[name]: key for name, key in _keys(COCKPIT, own).items() if name.startswith("flag")}


def away_text(left: LeftAt, now: RunSnapshot, moment: float) -> str:
    """`3 h 12 min: 12,400,000 timesteps, 2 deaths, 1 milestone`. moment: Unix seconds."""
    new = max(now.log_total - left.log_total, 0)
    entries = now.log[-new:] if new else ()
    deaths = sum(entry.level == "error" and entry.worker is not None for entry in entries)
    milestones = sum(mark.kind == "milestone" and mark.timesteps > left.timesteps for mark in now.marks)
    steps = now.timesteps - left.timesteps
    found = [
        f"{steps:,} timesteps" if steps >= 0 else f"back by {-steps:,} timesteps",
        formatting.plural(deaths, "death"),
        formatting.plural(milestones, "milestone"),
    ]
    return f"{formatting.duration(moment - left.time)}: {', '.join(found)}"


def frozen_text(still: RunSnapshot, since: float, now: RunSnapshot) -> str:
    """`12:14:38: 3 iterations and 2 log lines have come`; of log lines at most as many as a snapshot holds are counted.

    since: Unix seconds.
    """
    iterations = max(now.history.length - still.history.length, 0)
    known = still.log[-1] if still.log else None
    lines = 0
    for entry in reversed(now.log):
        if entry is known:
            break
        lines += 1
    news = f"{formatting.plural(iterations, 'iteration')} and {formatting.plural(lines, 'log line')} have come"
    return f"{formatting.clock(since)}: {news}"
