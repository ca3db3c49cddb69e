"""Pane layout: where each slot is at which terminal size, and PaneGrid, the widget that places panes. A pane names its SLOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget

from rltui.tui.panes.pane import Pane, View
from rltui.tui.settings import Slot, UiSettings
from rltui.tui.widgets.filter_bar import typed_for

FALLBACK: Mapping[Slot, Slot] = {
    "side": "table",
    "facts": "time",
}  # whose region a slot shares that has none of its own
PARTNER: Mapping[Slot, Slot] = {
    "charts": "table",
    "rewards": "time",
    "side": "log",
}  # it grows at the other's cost, or with it
USUAL: Mapping[Slot, tuple[str, ...]] = {"side": ("arena", "curriculum", "audit")}  # elsewhere: the first in PANES
WIDE, TALL = 160, 46  # from here on facts and side have regions of their own
SINGLE_WIDTH, SINGLE_HEIGHT = 100, 30  # below either: one pane at a time
MINIMAL_WIDTH, MINIMAL_HEIGHT = 60, 15  # below either: the status alone
STATUS = 3  # rows
FRAME = STATUS + 1  # with the footer
BORDER = 2  # rows of a pane
LEAST = 4  # rows of a slot, border included
STEP = 2  # rows that a slot grows or shrinks by
MOST_RIGHT = 56  # columns
SIDE_SHARE = 0.4  # of the width


@dataclass(frozen=True, slots=True)
class SlotRegions:
    """regions: of the slots on screen, within the body below the status; none where the terminal is minimal."""

    minimal: bool = False
    single: bool = False
    regions: Mapping[Slot, Region] = field(default_factory=dict)

    def slot_of(self, pane: Pane) -> Slot:
        """The slot that shows the pane."""
        roomy = pane.ROOMY_SLOT
        slot = roomy if roomy is not None and roomy in self.regions else pane.SLOT
        return slot if slot in self.regions else FALLBACK.get(slot, slot)


def slot_regions(
    width: int, height: int, wanted: Mapping[Slot, int] | None = None, extra: Mapping[Slot, int] | None = None
) -> SlotRegions:
    """For a terminal of this size. Charts and table fill the left, rewards, time and facts the right, log the bottom, with
    side beside it where there is room.

    wanted: rows that the pane shown in each slot would fill, border included. extra: rows that the user gave to a slot or
    took from it.
    """
    if is_minimal(width, height):
        return SlotRegions(minimal=True)
    if is_single(width, height):
        return SlotRegions(single=True, regions={"charts": Region(0, 0, width, height - FRAME)})
    wide = width >= WIDE and height >= TALL
    rows = _PaneRows(height, wanted or {}, _by_partner(extra or {}), wide)
    right = min(width * 4 // 11, MOST_RIGHT)
    left = width - right
    regions: dict[Slot, Region] = {
        "charts": Region(0, 0, left, rows.upper - rows.table),
        "table": Region(0, rows.upper - rows.table, left, rows.table),
    }
    y = 0
    for slot, high in rows.right():
        regions[slot] = Region(left, y, right, high)
        y += high
    side = int(width * SIDE_SHARE) if wide else 0
    regions["log"] = Region(0, rows.upper, width - side, rows.bottom)
    if wide:
        regions["side"] = Region(width - side, rows.upper, side, rows.bottom)
    return SlotRegions(regions=regions)


def is_minimal(width: int, height: int) -> bool:
    """No pane at all."""
    return width < MINIMAL_WIDTH or height < MINIMAL_HEIGHT


def is_single(width: int, height: int) -> bool:
    """One pane at a time, or none."""
    return width < SINGLE_WIDTH or height < SINGLE_HEIGHT


def _by_partner(extra: Mapping[Slot, int]) -> dict[Slot, int]:
    """Extra rows by the slots that have heights of their own: more charts are less table."""
    found: dict[Slot, int] = {}
    for slot, rows in extra.items():
        partner = PARTNER.get(slot, slot)
        found[partner] = found.get(partner, 0) + (-rows if slot in ("charts", "rewards") else rows)
    return found


class _PaneRows:
    """Heights of the parts of the body."""

    def __init__(self, height: int, wanted: Mapping[Slot, int], extra: Mapping[Slot, int], wide: bool) -> None:
        self._wanted, self._extra, self._wide, self._tall = wanted, extra, wide, height >= 36
        body = height - FRAME
        side = min(wanted.get("side", 0), body // 3) if wide else 0
        self.bottom = self._clamp("log", max(6, height // 5, side), body - 3 * LEAST)
        self.upper = body - self.bottom
        table = min(max(wanted.get("table", 5), 5), max(self.upper // 2, 5))
        self.table = self._clamp("table", table, self.upper - LEAST)

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


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """regions: of the panes on screen. sharing: all panes of each one's slot, itself included."""

    regions: dict[Pane, Region]
    sharing: dict[Pane, tuple[Pane, ...]]


class LayoutChoice:
    """What the user chose: the pane that each slot shows, extra rows, and `alone`, the maximised pane."""

    def __init__(self, panes: Sequence[Pane], settings: UiSettings) -> None:
        self.panes = tuple(panes)
        self.alone: Pane | None = None
        self._settings = settings
        self._front = self.panes[0]  # where there is room for one only
        self.reset()

    def show(self, pane: Pane, size: Size) -> None:
        """Bring a pane to the front of its slot."""
        self._front = pane
        self.chosen[slot_regions(*size).slot_of(pane)] = pane
        if self.alone is not None:
            self.alone = pane

    def maximise(self, pane: Pane) -> None:
        """This pane alone, or all of them again."""
        self.alone = None if self.alone is not None else pane
        self._front = pane

    def grow(self, pane: Pane, size: Size, rows: int) -> None:
        """Give the pane's slot more rows, or fewer."""
        slot = slot_regions(*size).slot_of(pane)
        before = slot_regions(*size, None, self.extra)
        self.extra[slot] = self.extra.get(slot, 0) + rows
        if slot_regions(*size, None, self.extra) == before:  # at its end: further presses shall not add up unseen
            self.extra[slot] -= rows

    def reset(self) -> None:
        """As ui.toml has it."""
        self.alone = None
        ids = {pane.pane_id(): pane for pane in self.panes}
        self.chosen: dict[Slot, Pane] = {slot: ids[name] for slot, name in self._settings.shows.items() if name in ids}
        self.extra: dict[Slot, int] = dict(self._settings.rows)

    def chosen_ids(self) -> dict[Slot, str]:
        """For ui.toml."""
        return {slot: pane.pane_id() for slot, pane in self.chosen.items()}

    def make_default(self) -> None:
        """From now on `reset` comes back to this choice."""
        self._settings = replace(self._settings, shows=self.chosen_ids(), rows=dict(self.extra))

    def layout(self, size: Size, view: View, focused: Pane | None = None) -> PaneLayout:
        """For a terminal of this size. focused: keeps its place as if it had been chosen."""
        slots = slot_regions(*size)
        if slots.minimal:
            return PaneLayout({}, {})
        single = self.alone or (self._front if slots.single else None)
        if single is not None:
            return PaneLayout({single: Region(0, 0, size.width, size.height - FRAME)}, {single: self.panes})
        sharing = {slot: tuple(pane for pane in self.panes if slots.slot_of(pane) == slot) for slot in slots.regions}
        shown = {slot: self._shown_in(slot, panes, view, focused) for slot, panes in sharing.items() if panes}
        wanted = {slot: rows + BORDER for slot, pane in shown.items() if (rows := _wanted_rows(pane, view))}
        regions = slot_regions(*size, wanted, self.extra).regions
        return PaneLayout(
            {pane: regions[slot] for slot, pane in shown.items()}, {pane: sharing[slot] for slot, pane in shown.items()}
        )

    def _shown_in(self, slot: Slot, panes: Sequence[Pane], view: View, focused: Pane | None) -> Pane:
        for pane in (focused, self.chosen.get(slot)):
            if pane is not None and pane in panes:
                return pane
        ids = {pane.pane_id(): pane for pane in panes}
        usual = [ids[name] for name in USUAL.get(slot, ()) if name in ids] or [panes[0]]
        return next((pane for pane in usual if _matters(pane, view)), usual[-1])


def _matters(pane: Pane, view: View) -> bool:
    try:
        return pane.matters(view)
    except Exception:  # it will say so itself when it is drawn
        return True


def _wanted_rows(pane: Pane, view: View) -> int:
    try:
        return pane.wants(view)
    except Exception:  # as above
        return 0


class _ByRegion(Layout):
    name = "by region"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        parent.pre_layout(self)
        assert isinstance(parent, PaneGrid)
        regions = parent.regions
        return [
            WidgetPlacement(regions[pane], NULL_OFFSET, Spacing(), pane) for pane in parent.panes if pane in regions
        ]


class PaneGrid(Widget):
    """Widget that shows panes by LayoutChoice and keeps the focus on one that is seen."""

    class Arranged(Message):
        """Panes have come, gone or moved; those that have come have not been shown the newest view."""

    def __init__(self, panes: Sequence[Pane], settings: UiSettings, *, name: str) -> None:
        super().__init__(*panes, name=name, id=name)
        self.panes = tuple(panes)
        self.choice = LayoutChoice(panes, settings)
        self.regions: Mapping[Pane, Region] = {}
        self.view: View | None = None  # the newest that the panes have
        self._placed: PaneLayout | None = None
        self._default_layout = _ByRegion()  # type: ignore[assignment]  # declared as the one that it begins with

    @property
    def focused_pane(self) -> Pane | None:
        """The pane that has the focus, or whose filter is typed."""
        focused = typed_for(self.screen.focused)
        return focused if isinstance(focused, Pane) else None

    def place(self, view: View) -> None:
        """Put each pane where it belongs with this view, at this size."""
        self.view = view
        layout = self.choice.layout(self.screen.size, view, self.focused_pane)
        before, self._placed = self._placed, layout
        if layout == before:
            return
        for pane, region in layout.regions.items():
            pane.set_tabs(layout.sharing[pane], region.width)
        if before is not None and layout.regions == before.regions:
            return
        self.regions = layout.regions
        for child in self.panes:
            child.display = child in layout.regions
        for child in layout.regions:
            child.refresh(layout=True)  # of the child: that makes its container arrange anew
        self.refresh(layout=True)
        self._move_focus(layout)
        self.call_after_refresh(self.post_message, self.Arranged())

    def _move_focus(self, layout: PaneLayout) -> None:
        """To what has come in the place of a focused pane that is not seen any more."""
        before = self.focused_pane
        if layout.regions and (before is None or before not in layout.regions):
            heir = next((pane for pane in layout.regions if before in layout.sharing[pane]), next(iter(layout.regions)))
            self.screen.set_focus(heir, scroll_visible=False)

    def _place_again(self) -> None:
        if self.view is not None:
            self.place(self.view)

    def show_pane(self, pane: Pane) -> None:
        """Bring it to the front of its slot, with the focus."""
        self.choice.show(pane, self.screen.size)
        self.screen.set_focus(None)
        self._place_again()
        if pane.display:
            self.screen.set_focus(pane, scroll_visible=False)

    def step(self, by: int) -> None:
        """The focus moves on among the panes on screen; where there is one only, the next one comes."""
        shown = [pane for pane in self.panes if pane.display]
        ring = shown if len(shown) > 1 else self.panes
        here = self.focused_pane
        place = ring.index(here) + by if here is not None and here in ring else 0
        self.show_pane(ring[place % len(ring)])

    def maximise(self) -> None:
        """The focused pane alone, or all of them again."""
        self.choice.maximise(self._focused_or_first)
        self._place_again()

    def grow(self, direction: int) -> bool:
        """The focused pane's slot gets more rows (1), or fewer (-1); False where it cannot."""
        before = self.regions
        self.choice.grow(self._focused_or_first, self.screen.size, direction * STEP)
        self._place_again()
        return self.regions != before

    def reset(self) -> None:
        """As ui.toml has it."""
        self.choice.reset()
        self.screen.set_focus(None)
        self._place_again()
        self.screen.set_focus(next(pane for pane in self.panes if pane.display or pane is self.panes[-1]))

    @property
    def _focused_or_first(self) -> Pane:
        return self.focused_pane or self.panes[0]
