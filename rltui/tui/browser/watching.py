"""Watching: a match of saved bots, which a program of its own shows in the terminal."""

from __future__ import annotations

import sys

from rltui.runs.checkpoint import DamagedError, read_file
from rltui.runs.paths import DataDir
from rltui.runs.saver import POLICY_FILE
from rltui.tui.browser.library import Entry


def unplayable(entry: Entry | None) -> str:
    """Why there is no match to be shown; empty where there is one. Reads the bot's file to its last byte."""
    if entry is None or not (entry.usable or entry.reason):
        return "only a saved state can be watched"
    if not entry.usable:
        return f"{entry.words} cannot be watched: {entry.reason}"
    try:
        read_file(entry.path, POLICY_FILE)
    except DamagedError as error:
        return f"{entry.words} cannot be watched: {error}"
    return ""


def watch_command(entry: Entry, data: DataDir, *, ascii_only: bool) -> list[str]:
    """For supervise.foreground."""
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]
