"""Which keys the footer has room for, and in which parts of it they stand: what acts apart from what only looks. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rltui.tui.action import Action, Group
from rltui.tui.actions import key_name
from rltui.tui.paint import Line, width_of

PARTS = ("act", "debug", "view", "")  # the word before each; the last stands at the right edge
PART_OF: Mapping[Group, str] = {
    "Training": "act", "Launching": "act", "Editing": "act", "Milestones": "act",
    "Debugging": "debug", "View": "view", "Program": "",
}  # fmt: skip
ACTING = ("act", "debug")
BAR: Line = ((" │ ", "track"),)
EDGE, GAP = 1, 2  # columns before all, and between two keys of a part
OF_THE_MOMENT = 2  # rank


def words_of(action: Action, labels: Mapping[str, str]) -> tuple[str, str]:
    """(key, label). Without the word of its part, and the ellipsis of what asks first."""
    label = labels.get(action.name, action.label).rstrip("…")
    word, _, rest = label.partition(" ")
    return key_name(action.keys[0]), rest.capitalize() if rest and word.lower() == PART_OF[action.group] else label


def rank(action: Action, labels: Mapping[str, str]) -> int:
    """What has a label of its own now belongs to this moment: only the way out and help stay longer."""
    usual = action.footer or 0
    return min(usual, OF_THE_MOMENT) if action.name in labels else usual


def fitting(actions: Sequence[Action], labels: Mapping[str, str], room: int) -> dict[str, list[Action]]:
    """By the part they stand in, in their order: of lowest rank as many as fit in `room` columns.

    One that is too long leaves its place to the next that is not.
    """
    chosen: dict[str, list[int]] = {part: [] for part in PARTS}
    left = room - EDGE
    for place in sorted(range(len(actions)), key=lambda place: rank(actions[place], labels)):
        action = actions[place]
        part = PART_OF[action.group]
        size = len(" ".join(words_of(action, labels)))
        if chosen[part]:
            size += GAP
        else:
            size += len(part) + bool(part) + (width_of(BAR) if any(chosen.values()) else 0)
        if size <= left:
            chosen[part].append(place)
            left -= size
    return {part: [actions[place] for place in sorted(places)] for part, places in chosen.items() if places}
