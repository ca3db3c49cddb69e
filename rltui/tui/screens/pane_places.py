"""PanePlaces: the cockpit's panes put where they belong at the present size, and moved about as the user asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.panes.pane import Pane
from rltui.tui.screens.arrangement import STATUS
from rltui.tui.screens.seating import STEP, Seating, Seats
from rltui.tui.widgets.rooms import Rooms

if TYPE_CHECKING:
    from rltui.tui.screens.cockpit import CockpitScreen


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
        body = screen.query_one(Rooms)
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
