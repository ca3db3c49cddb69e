"""The keys that lead on from a cockpit where there is nothing left to do. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from rltui.tui.actions import COCKPIT, LAUNCHER, Action, key_name
from rltui.tui.paint import Line
from rltui.tui.run.model import RunSnapshot
from rltui.tui.settings.own_keys import OwnKeys, with_own_keys


def ways_out(own: OwnKeys) -> Line:
    """What esc says where it has nothing to close."""
    keys = _keys(COCKPIT, own)
    return (
        ("nothing to close here: ", "muted"),
        (keys["launcher"], "key"), (" launcher, ", "strong"),
        (keys["leave"], "key"), (" quit", "strong"),
    )  # fmt: skip


def how_to_go_on(snapshot: RunSnapshot, own: OwnKeys) -> str:
    """What can be done with a run that has ended."""
    launcher, resume = _keys(COCKPIT, own).get("launcher", "the palette"), _keys(LAUNCHER, own).get("resume", "it")
    if snapshot.saved_timesteps is None or snapshot.gone:
        return f"it has ended with nothing to resume: {launcher} opens the launcher"
    limit = snapshot.header.step_limit if snapshot.header else None
    if limit is not None and snapshot.saved_timesteps >= limit:
        there = f"{launcher} opens the launcher, {resume} there asks for a new one and trains on"
        return f"it has ended at its limit of {limit:,} timesteps: {there}"
    return f"it has ended: {launcher} opens the launcher, {resume} there resumes it at {snapshot.saved_timesteps:,} timesteps"


def _keys(actions: Iterable[Action], own: OwnKeys) -> dict[str, str]:
    """By the action's name, as the user has them; without those that have none."""
    return {action.name: key_name(action.keys[0]) for action in with_own_keys(actions, own) if action.keys}
