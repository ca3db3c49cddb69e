"""Tree of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui import formatting
from rltui.runs.inventory import Inventory
from rltui.tui.browser.library import ALL, STRAYS, TRASH, Library, RunNode, parent_run
from rltui.tui.text import Line, Span, crop_middle, pad
from rltui.tui.widgets.list_view import ListView, Row

if TYPE_CHECKING:
    from rltui.tui.browser.screen import BrowserScreen


DEEPEST = 6  # indents shown


def rows(library: Library, closed: frozenset[RunNode], width: int) -> list[Row]:
    """All rows for a list of `width` columns; a closed run hides its phases, never its branches."""
    states = sum(entry.kind in ("milestone", "checkpoint") for entry in library.entries)
    found = [Row(ALL, _line(" ≡ ", "Everything", states, width))]
    for inventory, depth in by_descent(library):
        found += _of_run(inventory, depth, closed, width)
    strays, trash = len(library.under(STRAYS)), len(library.under(TRASH))
    found += [Row(None, ())] if strays or trash else []
    found += [Row(STRAYS, _line(" ? ", "Stray entries", strays, width, "muted"))] if strays else []
    found += [Row(TRASH, _line(" × ", "Trash", trash, width, "muted"))] if trash else []
    return found


def by_descent(library: Library) -> list[tuple[Inventory, int]]:
    """Each run with how many ancestors it has here; a branch follows the run that it left."""
    names = {inventory.run for inventory in library.inventories}
    found: list[tuple[Inventory, int]] = []
    seen: set[str] = set()

    def visit(inventory: Inventory, depth: int) -> None:
        if inventory.run not in seen:  # a hostile meta.json may claim a circle
            seen.add(inventory.run)
            found.append((inventory, depth))
            for child in library.children(inventory.run):
                if (under := library.inventory(child)) is not None:
                    visit(under, depth + 1)

    for inventory in library.inventories:
        if parent_run(inventory) not in names:
            visit(inventory, 0)
    for inventory in library.inventories:
        visit(inventory, 0)
    return found


def nodes_of(inventory: Inventory) -> list[tuple[RunNode, str, int]]:
    """Phases and checkpoints under a run: node, words, count."""
    phases: dict[str, int] = {}
    for info in inventory.milestones:
        name = info.milestone.partition("/")[0]
        phases[name] = phases.get(name, 0) + 1
    found = [(RunNode("phase", inventory.run, name), name, count) for name, count in sorted(phases.items())]
    checkpoints = len(inventory.checkpoints)
    return found + ([(RunNode("checkpoints", inventory.run), "checkpoints", checkpoints)] if checkpoints else [])


def _of_run(inventory: Inventory, depth: int, closed: frozenset[RunNode], width: int) -> list[Row]:
    node = RunNode("run", inventory.run)
    indent = "  " * min(depth, DEEPEST)
    sign = f" {indent}{'▸' if node in closed else '▾'} "
    count = len(inventory.states)
    state = ("", "") if not inventory.trainer else ("▶ ", "good") if inventory.paused is None else ("‖ ", "warn")
    found = [Row(node, _line(sign, f"{'└ ' if depth else ''}{inventory.run}", count, width, "", state))]
    if node not in closed:
        found += [
            Row(under, _line(f"   {indent}  ", name, number, width, "muted"))
            for under, name, number in nodes_of(inventory)
        ]
    return found


def _line(sign: str, name: str, count: int, width: int, role: str = "", state: Span = ("", "")) -> Line:
    number = f" {formatting.count(count)}"
    room = max(width - len(sign) - len(state[0]) - len(number) - 1, 4)
    spans = [(sign, "key"), state, (pad(crop_middle(name, room), room), role), (number, "muted")]
    return tuple(span for span in spans if span[0])


NARROWEST = 20  # columns that rows are made for before the list has a size


class Shelves:
    """node: whose entries the table shows."""

    def __init__(self, screen: BrowserScreen, run: str) -> None:
        """run: to begin with; empty for everything."""
        self._screen = screen
        self._folded: set[RunNode] = set()
        self.node: RunNode = RunNode("run", run) if run else ALL

    @property
    def list(self) -> ListView:
        return self._screen.query_one("#shelves", ListView)

    def show(self) -> None:
        """The tree again, with the cursor on its node."""
        width = max(self.list.size.width, NARROWEST)
        self.list.set_rows(rows(self._screen.library, frozenset(self._folded), width), self.node)

    def goes_to(self, node: RunNode) -> bool:
        """The cursor has moved there. False where the table stays: the node asked for at first is yet to be read, or the
        cursor has moved on meanwhile.
        """
        there = any(row.key == self.node for row in self.list.rows)
        soon = not self._screen.library.complete and not there
        if node == self.node or soon or node != self.list.key:
            return False
        self.node = node
        return True

    def fold(self) -> bool:
        """Fold the run under the cursor, or open it; False where it is none."""
        node = self.list.key
        if not isinstance(node, RunNode) or node.kind != "run":
            return False
        self._folded ^= {node}
        return True
