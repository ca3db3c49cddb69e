"""Which pane is where at which size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from rltui.tui.panes.pane import Pane, Slot, View
from rltui.tui.settings import UiSettings

if TYPE_CHECKING:
    from rltui.tui.cockpit.screen import CockpitScreen


# Which slots of the cockpit are on screen at which terminal size, and where. Pure: sizes in, regions out.
#
# charts and table fill the left, rewards, time and facts the right, log the bottom, with side beside it where there is room.
# A pane whose slot is not on screen shares that of its fallback.

FALLBACK: Mapping[Slot, Slot] = {"side": "table", "facts": "time"}
PARTNER: Mapping[Slot, Slot] = {
    "charts": "table",
    "rewards": "time",
    "side": "log",
}  # it grows at the other's cost, or with it
WIDE, TALL = 160, 46  # from here on facts and side have slots of their own
SINGLE_WIDTH, SINGLE_HEIGHT = 100, 30  # below either: one pane at a time
MINIMAL_WIDTH, MINIMAL_HEIGHT = 60, 15  # below either: the status alone
STATUS = 3  # rows: what is, what comes, how it does
FRAME = STATUS + 1  # with the footer
LEAST = 4  # rows of a slot, border included
MOST_RIGHT = 56  # columns
SIDE_SHARE = 0.4  # of the width


@dataclass(frozen=True, slots=True)
class Arrangement:
    """rooms: the slots on screen, within the body below the status; empty where it is minimal."""

    minimal: bool = False
    single: bool = False
    rooms: Mapping[Slot, Region] = field(default_factory=dict)

    def home(self, slot: Slot) -> Slot:
        """The slot that shows panes of `slot`."""
        return slot if slot in self.rooms else FALLBACK.get(slot, slot)


def arrangement(
    width: int, height: int, wanted: Mapping[Slot, int] | None = None, extra: Mapping[Slot, int] | None = None
) -> Arrangement:
    """For a terminal of this size. wanted: rows that the pane shown in each slot would fill, border included.

    extra: rows that the user gave to a slot or took from it.
    """
    if width < MINIMAL_WIDTH or height < MINIMAL_HEIGHT:
        return Arrangement(minimal=True)
    if is_single(width, height):
        return Arrangement(single=True, rooms={"charts": Region(0, 0, width, height - FRAME)})
    wide = width >= WIDE and height >= TALL
    rows = _Rows(height, wanted or {}, by_partner(extra or {}), wide)
    right = min(width * 4 // 11, MOST_RIGHT)
    left = width - right
    rooms: dict[Slot, Region] = {
        "charts": Region(0, 0, left, rows.upper - rows.table),
        "table": Region(0, rows.upper - rows.table, left, rows.table),
    }
    y = 0
    for slot, high in rows.right():
        rooms[slot] = Region(left, y, right, high)
        y += high
    side = int(width * SIDE_SHARE) if wide else 0
    rooms["log"] = Region(0, rows.upper, width - side, rows.bottom)
    if wide:
        rooms["side"] = Region(width - side, rows.upper, side, rows.bottom)
    return Arrangement(rooms=rooms)


def is_single(width: int, height: int) -> bool:
    """One pane at a time, or none."""
    return width < SINGLE_WIDTH or height < SINGLE_HEIGHT


def by_partner(extra: Mapping[Slot, int]) -> dict[Slot, int]:
    """The same wish told of the slots that have heights of their own: more charts are less table."""
    found: dict[Slot, int] = {}
    for slot, rows in extra.items():
        partner = PARTNER.get(slot, slot)
        found[partner] = found.get(partner, 0) + (-rows if slot in ("charts", "rewards") else rows)
    return found


class _Rows:
    """Heights of the parts of the body."""

    def __init__(self, height: int, wanted: Mapping[Slot, int], extra: Mapping[Slot, int], wide: bool) -> None:
        self._wanted, self._extra, self._wide, self._tall = wanted, extra, wide, height >= 36
        body = height - FRAME
        side = min(wanted.get("side", 0), body // 3) if wide else 0
        self.bottom = self._clamp("log", max(6, height // 5, side), body - 3 * LEAST)
        self.upper = body - self.bottom
        self.table = self._clamp(
            "table", min(max(wanted.get("table", 5), 5), max(self.upper // 2, 5)), self.upper - LEAST
        )

    def right(self) -> list[tuple[Slot, int]]:
        """Rewards, time and, where there is room, the run's facts, from top to bottom."""
        usual = self._wanted.get("time") or (16 if self._tall else 12)
        least = 2 * LEAST if self._wide else LEAST
        time = self._clamp("time", min(usual, self.upper - least), self.upper - least)
        left = self.upper - time
        if not self._wide:
            return [("rewards", left), ("time", time)]
        facts = self._clamp("facts", left // 2, left - LEAST)
        return [("rewards", left - facts), ("time", time), ("facts", facts)]

    def _clamp(self, slot: Slot, rows: int, most: int) -> int:
        return max(min(rows + self._extra.get(slot, 0), most), LEAST)


BORDER = 2  # rows
USUAL: Mapping[Slot, tuple[str, ...]] = {"side": ("arena", "curriculum", "audit")}  # elsewhere: the catalogue's first
STEP = 2  # rows that a slot grows or shrinks by


@dataclass(frozen=True, slots=True)
class Seats:
    """places: the panes on screen. sharing: all panes of each one's slot, itself included."""

    plan: Arrangement
    places: dict[Pane, Region]
    sharing: dict[Pane, tuple[Pane, ...]]


class Seating:
    """alone: the maximised pane."""

    def __init__(self, panes: Sequence[Pane], layout: UiSettings) -> None:
        self.panes = tuple(panes)
        self.alone: Pane | None = None
        self._layout = layout
        self._front = self.panes[0]  # where there is room for one only
        self.reset()

    def show(self, pane: Pane, size: Size) -> None:
        """Bring a pane to the front of its slot."""
        self._front = pane
        self.chosen[_home(pane, arrangement(*size))] = pane
        if self.alone is not None:
            self.alone = pane

    def maximise(self, pane: Pane) -> None:
        """This pane alone, or all of them again."""
        self.alone = None if self.alone is not None else pane
        self._front = pane

    def grow(self, pane: Pane, size: Size, rows: int) -> None:
        """Give the pane's slot more rows, or fewer."""
        slot = _home(pane, arrangement(*size))
        before = self._heights(size)
        self.extra[slot] = self.extra.get(slot, 0) + rows
        if self._heights(size) == before:  # at its end: further presses shall not add up unseen
            self.extra[slot] -= rows

    def reset(self) -> None:
        """As the cockpit is at first: as ui.toml has it."""
        self.alone = None
        ids = {pane.pane_id(): pane for pane in self.panes}
        self.chosen: dict[Slot, Pane] = {slot: ids[name] for slot, name in self._layout.shows.items() if name in ids}
        self.extra: dict[Slot, int] = dict(self._layout.rows)

    def shows(self) -> dict[Slot, str]:
        """For ui.toml: what was chosen, slot by slot."""
        return {slot: pane.pane_id() for slot, pane in self.chosen.items()}

    def keep(self) -> None:
        """From now on, `reset` comes back to what is now."""
        self._layout = replace(self._layout, shows=self.shows(), rows=dict(self.extra))

    def seats(self, size: Size, view: View, focused: Pane | None = None) -> Seats:
        """Who sits where now. focused: keeps its place as if it had been chosen."""
        plan = arrangement(*size)
        if plan.minimal:
            return Seats(plan, {}, {})
        single = self.alone or (self._front if plan.single else None)
        if single is not None:
            whole = Region(0, 0, size.width, size.height - FRAME)
            return Seats(plan, {single: whole}, {single: self.panes})
        sharing = {slot: tuple(pane for pane in self.panes if _home(pane, plan) == slot) for slot in plan.rooms}
        holders = {slot: self._holder(slot, panes, view, focused) for slot, panes in sharing.items() if panes}
        wanted = {slot: rows + BORDER for slot, pane in holders.items() if (rows := _rows(pane, view))}
        plan = arrangement(*size, wanted, self.extra)
        return Seats(
            plan,
            {pane: plan.rooms[slot] for slot, pane in holders.items()},
            {pane: sharing[slot] for slot, pane in holders.items()},
        )

    def _holder(self, slot: Slot, panes: Sequence[Pane], view: View, focused: Pane | None) -> Pane:
        if focused in panes:
            return focused  # type: ignore[return-value]  # `in` does not narrow
        chosen = self.chosen.get(slot)
        if chosen in panes:
            return chosen  # type: ignore[return-value]
        ids = {pane.pane_id(): pane for pane in panes}
        usual = [ids[name] for name in USUAL.get(slot, ()) if name in ids] or [panes[0]]
        return next((pane for pane in usual if _matters(pane, view)), usual[-1])

    def _heights(self, size: Size) -> list[int]:
        return [room.height for room in arrangement(*size, None, self.extra).rooms.values()]


def _home(pane: Pane, plan: Arrangement) -> Slot:
    roomy = pane.ROOMY_SLOT
    return roomy if roomy is not None and roomy in plan.rooms else plan.home(pane.SLOT)


def _matters(pane: Pane, view: View) -> bool:
    try:
        return pane.matters(view)
    except Exception:  # it will say so itself when it is drawn
        return True


def _rows(pane: Pane, view: View) -> int:
    try:
        return pane.wants(view)
    except Exception:
        return 0


Child = TypeVar("Child", bound=Widget)


class _Placed(Layout):
    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        parent.pre_layout(self)
        assert isinstance(parent, PaneGrid)
        places = parent.places
        return [WidgetPlacement(places[child], NULL_OFFSET, Spacing(), child) for child in children if child in places]


class PaneGrid(Widget):
    """`place` says where each child stands, within this widget."""

    def __init__(self, *children: Widget, name: str) -> None:
        super().__init__(*children, name=name, id=name)
        self.places: Mapping[Widget, Region] = {}
        self.placed = False
        self._default_layout = _Placed()  # type: ignore[assignment]  # declared as the one that it begins with

    def place(self, places: Mapping[Child, Region]) -> bool:
        """Show these children here, and no others. Whether anything has changed."""
        if places == self.places and self.placed:
            return False
        self.placed = True
        self.places = dict[Widget, Region](places.items())
        for child in self.children:
            child.display = child in self.places
        for child in self.places:
            child.refresh(layout=True)  # of the child: that makes its container arrange anew
        self.refresh(layout=True)
        return True


class PanePlaces:
    """Of the cockpit's screen. Which pane sits where is Seating's; the focus stays on what is seen."""

    def __init__(self, screen: CockpitScreen, seating: Seating) -> None:
        self._screen, self._seating = screen, seating
        self._seats: Seats | None = None  # as last placed

    def place(self) -> None:
        """Each where it belongs now."""
        screen = self._screen
        seats = self._seating.seats(screen.size, screen.shown, screen.focused_pane())
        if seats == self._seats:
            return
        self._seats = seats
        for pane, room in seats.places.items():
            pane.set_tabs(seats.sharing[pane], room.width)
        screen.query_one("#status").styles.height = "1fr" if seats.plan.minimal else STATUS
        screen.query_one("#footer").display = not seats.plan.minimal
        body = screen.query_one(PaneGrid)
        body.display = not seats.plan.minimal
        if body.place(seats.places):
            self._keep_focus(seats)
            screen.call_after_refresh(screen.show_now)

    def _keep_focus(self, seats: Seats) -> None:
        """Whatever has come in the place of a focused pane has the focus now."""
        before = self._screen.focused_pane()
        if seats.places and (before is None or before not in seats.places):
            heir = next((pane for pane in seats.places if before in seats.sharing[pane]), next(iter(seats.places)))
            self._screen.set_focus(heir, scroll_visible=False)

    def show(self, pane: Pane) -> None:
        """Bring it to the front of its place, with the focus."""
        self._seating.show(pane, self._screen.size)
        self._screen.set_focus(None)
        self.place()
        if pane.display:
            self._screen.set_focus(pane, scroll_visible=False)

    def step(self, by: int) -> None:
        """The focus moves on among the panes on screen; where there is one only, the next one comes."""
        panes = self._seating.panes
        shown = [pane for pane in panes if pane.display]
        ring = shown if len(shown) > 1 else panes
        here = self._screen.focused_pane()
        place = ring.index(here) + by if here is not None and here in ring else 0
        self.show(ring[place % len(ring)])

    def maximise(self) -> None:
        """The focused pane alone, or all of them again."""
        self._seating.maximise(self._focused_or_first)
        self.place()

    def grow(self, direction: int) -> None:
        """The focused pane's place gets more rows (1), or fewer (-1)."""
        self._seating.grow(self._focused_or_first, self._screen.size, direction * STEP)
        self.place()

    def reset(self) -> None:
        """As at first, or as ui.toml has it."""
        self._seating.reset()
        self._screen.set_focus(None)
        self.place()
        panes = self._seating.panes
        self._screen.set_focus(next(pane for pane in panes if pane.display or pane is panes[-1]))

    @property
    def _focused_or_first(self) -> Pane:
        return self._screen.focused_pane() or self._seating.panes[0]
