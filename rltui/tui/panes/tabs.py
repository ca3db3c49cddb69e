"""The tabs in a slot's upper border: which panes it holds, as far as there is room. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rltui.tui.panes.pane import Pane

BEFORE = 3  # columns of border before the title
AROUND = 6  # columns of border beside it
GAP = "  "


@dataclass(frozen=True, slots=True)
class Tab:
    """start, end: columns of the border that belong to it."""

    pane: Pane
    key: str
    name: str  # empty where there is room for the key alone
    start: int
    end: int


def tabs(shown: Pane, siblings: Sequence[Pane], width: int) -> list[Tab]:
    """`4 Workers  5 LUT  6 Turtle`: the shown one named, then the others from the left while there is room for names.

    siblings: all of the slot, the shown one among them. width: of the pane, border included.
    """
    if len(siblings) < 2:
        return _placed([(shown, shown.NUMBER, shown.NAME)])
    names = [pane.SHORT if pane is shown else "" for pane in siblings]
    room = max(width - AROUND, 0)
    for index, pane in enumerate(siblings):
        tried = [*names[:index], pane.SHORT, *names[index + 1 :]]
        if _width(siblings, tried) > room:
            break
        names = tried
    cells = [(pane, pane.NUMBER, name) for pane, name in zip(siblings, names, strict=True)]
    while len(cells) > 1 and _width([pane for pane, _, _ in cells], [name for _, _, name in cells]) > room:
        cells.pop(-1 if cells[-1][0] is not shown else -2)
    return _placed(cells)


def _width(panes: Sequence[Pane], names: Sequence[str]) -> int:
    sizes = [len(pane.NUMBER) + bool(name) + len(name) for pane, name in zip(panes, names, strict=True)]
    return sum(sizes) + len(GAP) * (len(sizes) - 1)


def _placed(cells: Sequence[tuple[Pane, str, str]]) -> list[Tab]:
    found, column = [], BEFORE
    for pane, key, name in cells:
        end = column + len(key) + bool(key and name) + len(name)
        found.append(Tab(pane, key, name, column, end))
        column = end + len(GAP)
    return found


def markup(found: Sequence[Tab], shown: Pane, focused: bool) -> str:
    """For a border's title. What has the focus is turned round, so that it is seen without colours too."""
    return GAP.join(_words(tab, tab.pane is shown, len(found) == 1, focused) for tab in found)


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
