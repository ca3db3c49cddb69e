"""Columns of text, and numbers as people read them. Unknown is a dash, never 0."""

from __future__ import annotations

from collections.abc import Sequence

from rltui import formatting
from rltui.events.episode_reward import EpisodeReward
from rltui.formatting import over_episodes
from rltui.safe_io import one_line


def aligned(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as lines with columns two spaces apart; those in `right` end together. A cell is one line, whatever it says."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def number(value: float | None, form: str = ",.0f", unit: str = "") -> str:
    """`12,431,360`, `14,100 steps/s`; a dash for None."""
    return formatting.UNKNOWN if value is None else f"{value:{form}}" + (f" {unit}" if unit else "")


def reward_words(reward: EpisodeReward) -> str:
    """`21.5 over 104 episodes`; a dash where none has ended."""
    return number(reward.mean, ".4g") + over_episodes(reward.episodes, reward.short)
