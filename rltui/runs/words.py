"""How runs speak of times and counts."""

from __future__ import annotations

from datetime import UTC, datetime

from rltui.figures import millions, plural


def utc(seconds: float) -> str:
    """Unix seconds as `2026-01-31 17:45:02 UTC`."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def state_name(kind: str, label: str) -> str:
    """`milestone 5 M` of 005M, `checkpoint 12,431,360`: what was saved, beside prose; label: its folder's name."""
    return f"{kind} {int(label):,}" if label.isdecimal() else f"{kind} {millions(label)}"


def over_episodes(episodes: int | None, short: bool = False) -> str:
    """` over 104 episodes`, ` over 3 short episodes so far`, behind a mean; empty where there are none, or their number is unknown.

    short: as EpisodeReward has it.
    """
    if not episodes:
        return ""
    return f" over {plural(episodes, 'short episode')} so far" if short else f" over {plural(episodes, 'episode')}"


def over_iterations(iterations: int, training: bool) -> str:
    """` over 20 iterations`, behind a speed; of a run that does not train also that it is of then."""
    return f" over {plural(iterations, 'iteration')}{'' if training else ', when it last trained'}"
