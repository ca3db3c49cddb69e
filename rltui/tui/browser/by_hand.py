"""What two saved states had set by hand in the place of their profiles, which say nothing of it. Pure but for the reading."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rltui.errors import RltuiError
from rltui.events.records import setting_words
from rltui.runs import trainer_state
from rltui.tui.paint import Line, crop_text, pad, text_line, wrap

ByHand = Mapping[str, float] | None  # value by setting, as in SettingChanged; None: not known
AS_PROFILE, NOT_KNOWN = "as in its profile", "not known"


def saved_by_hand(folder: Path) -> ByHand:
    """In force when the state was saved; empty of one that tells nothing of its trainer."""
    try:
        state = trainer_state.read(folder)
    except (RltuiError, OSError):
        return None
    return state.by_hand if state is not None else {}


def side_by_side(left: ByHand, right: ByHand) -> list[tuple[str, str, str]]:
    """(setting, left, right) of all that is in force on either side, in words; the same on both sides too."""
    settings = dict.fromkeys([*(left or {}), *(right or {})])
    return [(setting_words(setting), _words(left, setting), _words(right, setting)) for setting in settings]


def by_hand_lines(left: ByHand, right: ByHand, width: int) -> list[Line]:
    """Under a title; nothing where nothing was set by hand."""
    told = side_by_side(left, right)
    if left is None or right is None:
        sides = " and ".join(name for name, side in (("the left", left), ("the right", right)) if side is None)
        unknown = wrap(f"of {sides} one: its trainer's state cannot be read", width, "warn")
    else:
        unknown = []
    if not told and not unknown:
        return []
    size = min(max((len(setting) for setting, _, _ in told), default=0), max(width // 2, 12)) + 2
    found: list[Line] = [(), text_line("Set by hand, in force when it was saved", "title"), *unknown]
    for setting, one, other in told:
        words = f"{one} in both" if one == other else f"{one} → {other}"
        name = pad(crop_text(setting, size - 2), size)
        rows = wrap(words, max(width - size, 10))
        found += [((name if not index else " " * size, "muted"), *row) for index, row in enumerate(rows)]
    return found


def _words(side: ByHand, setting: str) -> str:
    if side is None:
        return NOT_KNOWN
    return f"{side[setting]:g}" if setting in side else AS_PROFILE
