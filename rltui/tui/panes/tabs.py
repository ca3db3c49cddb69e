"""The tabs in a slot's upper border: which panes it holds, as far as there is room. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rltui.tui.panes.pane import Pane

BEFORE = 3  # columns of border before the title
AROUND = 6  # columns of border beside it
_Cell = tuple["Pane", str, str]  # with its key and its name


@dataclass(frozen=True, slots=True)
class Tab:
    """start, end: columns of the border that belong to it."""

    pane: Pane
    key: str
    name: str  # empty where there is room for the key alone
    start: int
    end: int


def tabs(shown: Pane, siblings: Sequence[Pane], width: int) -> list[Tab]:
    """`1 2 3 Time  4 Workers  5 Table  6 8`: the shown one named, then the nearest of the others while there is room for names.

    siblings: all of the slot, the shown one among them. width: of the pane, border included.
    """
    if len(siblings) < 2:
        return _placed([(shown, shown.key, shown.NAME)])
    here = siblings.index(shown)
    cells = [(pane, pane.key, shown.SHORT if pane is shown else "") for pane in siblings]
    room = max(width - AROUND, 0)
    for index in sorted(range(len(siblings)), key=lambda index: (abs(index - here), index < here)):
        pane = siblings[index]
        tried = [*cells[:index], (pane, pane.key, pane.SHORT), *cells[index + 1 :]]
        cells = tried if _width(tried) <= room else cells
    while len(cells) > 1 and _width(cells) > room:
        cells.pop(-1 if cells[-1][0] is not shown else -2)
    return _placed(cells)


def _width(cells: Sequence[_Cell]) -> int:
    return _placed(cells)[-1].end - BEFORE


def _placed(cells: Sequence[_Cell]) -> list[Tab]:
    found: list[Tab] = []
    for pane, key, name in cells:
        column = found[-1].end + len(_gap(found[-1].name, name)) if found else BEFORE
        found.append(Tab(pane, key, name, column, column + len(key) + bool(key and name) + len(name)))
    return found


def _gap(before: str, after: str) -> str:
    """Between two tabs of these names: keys alone stand closer."""
    return "  " if before or after else " "


def markup(found: Sequence[Tab], shown: Pane, focused: bool) -> str:
    """For a border's title. What has the focus is turned round, so that it is seen without colours too."""
    words = [_words(tab, tab.pane is shown, len(found) == 1, focused) for tab in found]
    gaps = [_gap(one.name, other.name) for one, other in pairwise(found)]
    return "".join(part for pair in zip_longest(words, gaps, fillvalue="") for part in pair)


def _words(tab: Tab, is_shown: bool, is_alone: bool, focused: bool) -> str:
    if not tab.key:
        return tab.name
    if is_shown and focused:
        return f"[bold reverse]{tab.key} {tab.name}[/]"
    name = "bold $foreground" if is_shown else "$faint"
    key = "bold $primary" if is_shown else "$muted"
    if is_alone:
        return f"[{key}]{tab.key}[/] {tab.name}"
    return f"[{key}]{tab.key}[/]" + (f"[{name}] {tab.name}[/]" if tab.name else "")
