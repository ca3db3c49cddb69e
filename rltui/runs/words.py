"""How runs speak of times and counts."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(seconds: float) -> str:
    """Unix seconds as `2026-01-31 17:45:02 UTC`."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def ago(seconds: float) -> str:
    """A duration as `3 min ago`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return f"{max(0, int(seconds))} s ago"


def counted(number: int, noun: str) -> str:
    """`1 checkpoint`, `3 checkpoints`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def over_episodes(episodes: int | None) -> str:
    """` over 104 episodes`, behind a mean; empty where there are none, or their number is unknown."""
    return f" over {counted(episodes, 'episode')}" if episodes else ""
