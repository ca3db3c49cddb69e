"""Tree of runs."""

from __future__ import annotations

from textual.message import Message

from rltui import formatting
from rltui.runs.inventory import Inventory
from rltui.tui.browser.library import ALL, TRASH, UNRECOGNISED, Library, RunNode, parent_run
from rltui.tui.text import Line, Span, crop_middle, pad
from rltui.tui.widgets.list_view import ListView, Row

DEEPEST = 6  # indents shown
NARROWEST = 20  # columns that rows are made for before the list has a size


def rows(library: Library, closed: frozenset[RunNode], width: int) -> list[Row]:
    """All rows for a list of `width` columns; a closed run hides its phases, never its branches."""
    states = sum(entry.saved for entry in library.entries)
    found = [Row(ALL, _line(" ≡ ", "Everything", states, width))]
    for inventory, depth in by_descent(library):
        found += _of_run(inventory, depth, closed, width)
    unrecognised, trash = len(library.under(UNRECOGNISED)), len(library.under(TRASH))
    found += [Row(None, ())] if unrecognised or trash else []
    found += [Row(UNRECOGNISED, _line(" ? ", "Unrecognised", unrecognised, width, "muted"))] if unrecognised else []
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
        phases[info.phase] = phases.get(info.phase, 0) + 1
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


class RunTree(ListView):
    """Tree of runs. node: whose saved states are to be shown, below the cursor as soon as it is there."""

    class NodeChanged(Message):
        """The cursor stands on another node."""

    def __init__(self, library: Library, node: RunNode) -> None:
        super().__init__(name="run-tree", classes="pane")
        self.border_title = "Runs"
        self.node = node
        self._library = library
        self._folded: frozenset[RunNode] = frozenset()

    def show(self, library: Library) -> None:
        """The tree of this library, with the cursor on its node."""
        self._library = library
        self.set_rows(rows(library, self._folded, max(self.size.width, NARROWEST)), self.node)

    def choose(self, node: RunNode) -> None:
        """The cursor to this node."""
        self.node = node
        self.show(self._library)

    def fold(self) -> bool:
        """Fold the run under the cursor, or open it; False where it is none."""
        if not isinstance(self.key, RunNode) or self.key.kind != "run":
            return False
        self._folded ^= {self.key}
        self.show(self._library)
        return True

    def moved(self) -> None:
        """The node stays where it was asked for at first and is yet to be read."""
        there = self._library.complete or any(row.key == self.node for row in self.rows)
        if isinstance(self.key, RunNode) and self.key != self.node and there:
            self.node = self.key
            self.post_message(self.NodeChanged())
