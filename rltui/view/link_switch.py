"""LinkSwitch: RocketSimVis switched on and off while a match goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rltui.events.match_frames import Moment
from rltui.view.output import Output
from rltui.view.rocketsimvis import LinkState, RocketSimVis


class LinkSwitch(Output):
    """make: a new link; it looks the host up again, so that switching off and on is another try."""

    def __init__(self, make: Callable[[], RocketSimVis], on: bool = False) -> None:
        self._make = make
        self._link: RocketSimVis | None = make() if on else None
        self._state = LinkState("", 0, "")  # of the links before

    @property
    def on(self) -> bool:
        return self._link is not None

    @property
    def state(self) -> LinkState:
        """packets: since the match began."""
        if self._link is None:
            return self._state
        state = self._link.state
        return replace(state, packets=state.packets + self._state.packets)

    def toggle(self) -> None:
        if self._link is None:
            self._link = self._make()
        else:
            self.close()

    def show(self, moment: Moment) -> None:
        if self._link is not None:
            self._link.show(moment)

    def close(self) -> None:
        if self._link is not None:
            self._state = self.state
            self._link.close()
            self._link = None

    def words(self) -> str:
        """For a line of status."""
        if self._link is None:
            return "RocketSimVis off"
        state = self.state
        return f"RocketSimVis {state.address} {state.packets:,} packets" + (f" ({state.error})" if state.error else "")
