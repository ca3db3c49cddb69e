"""Whether two stretches of training were paid by the same rewards, as far as their rows tell. Pure."""

from __future__ import annotations

import math

from rltui.tui import figures
from rltui.tui.run.history import History

REWARD, WEIGHT = "reward/", "weight/"
SAYS = "rewards differ, not comparable"
NAMED = 3  # differences told one by one
PROFILE = "as in its profile"  # a row has a weight only where it is not


def paid(history: History, row: int) -> dict[str, float | None]:
    """The rewards of that row with their weights; None: as its profile has it. Negative rows count from the end."""
    row = row if row >= 0 else history.length + row
    if not 0 <= row < history.length:
        return {}
    known = {key: column[row] for key, column in history.columns.items() if math.isfinite(column[row])}
    names = [key.removeprefix(REWARD) for key in known if key.startswith(REWARD)]
    return {name: known.get(WEIGHT + name) for name in names}


def apart(
    left: dict[str, float | None], right: dict[str, float | None], names: tuple[str, str] = ("left", "right")
) -> list[str]:
    """Where they differ, in words: `touch 2.00 → 5.00`, `goal: only right`. Empty where the same, or one is not known."""
    if not left or not right:
        return []
    found = [f"{name}: only {names[name in right]}" for name in sorted(left.keys() ^ right.keys())]
    both = [name for name in left if name in right and left[name] != right[name]]
    return found + [f"{name} {_words(left[name])} → {_words(right[name])}" for name in both]


def told(differences: list[str]) -> str:
    """In one line; empty where there are none."""
    if not differences:
        return ""
    more = len(differences) - NAMED
    return f"{SAYS}: {', '.join(differences[:NAMED])}" + (f" and {more} more" if more > 0 else "")


def _words(weight: float | None) -> str:
    return PROFILE if weight is None else figures.number(weight)
