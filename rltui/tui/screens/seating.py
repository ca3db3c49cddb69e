"""Which pane each slot shows, and where it stands: what the user chose, else the usual one that matters now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from textual.geometry import Region, Size

from rltui.tui.panes.pane import Pane, Slot, View
from rltui.tui.screens.arrangement import FRAME, Arrangement, arrangement
from rltui.tui.settings.ui_settings import UiSettings

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
