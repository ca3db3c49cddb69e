"""LogWindow: which entries of a log are in view, and on which one the cursor stands. Pure: no widget, no drawing."""

from __future__ import annotations

from collections.abc import Callable

from rltui.tui.log.entries import LogEntry
from rltui.tui.log.log_list import LogList
from rltui.tui.paint import Line

Drawn = list[tuple[int, list[Line]]]  # place in the list, its lines in view


class LogWindow:
    """cursor: the number of the entry that it stands on; None while it follows the end.

    Only entries in view are ever laid out, so that a long log costs no more than a short one.
    """

    def __init__(self, entries: LogList) -> None:
        self._list = entries
        self.cursor: int | None = None
        self.unseen = 0  # entries that came since it stopped following
        self._newest = -1  # number of the last entry when it stopped
        self._top = 0  # number of the first entry in view, while it does not follow
        self._drawn: Drawn = []

    @property
    def place(self) -> int:
        """Of the entry under the cursor, or of the last one while it follows."""
        last = max(len(self._list) - 1, 0)
        return last if self.cursor is None else min(self._list.index(self.cursor), last)

    @property
    def number(self) -> int:
        """Of the entry under the cursor; beyond all while it follows."""
        return self._list.total if self.cursor is None else self.cursor

    def move(self, entries: int) -> None:
        """Up (negative) or down; at the end it follows."""
        place = self.place + entries
        if place >= len(self._list) - 1 and entries > 0:
            self.cursor, self.unseen = None, 0
        else:
            self.stand(max(place, 0))

    def stand(self, place: int) -> None:
        """Put the cursor on that entry, and stay there."""
        if not len(self._list):
            return
        if self.cursor is None:
            self._newest, self.unseen = self._list.numbers[-1], 0
            self._top = (
                self._list.numbers[self._drawn[0][0]] if self._drawn and self._drawn[0][0] < len(self._list) else 0
            )
        self.cursor = self._list.numbers[min(place, len(self._list) - 1)]

    def stand_near(self, number: int) -> None:
        """After another choice of entries: on the same one, or the next that is shown."""
        if self.cursor is not None:
            self.cursor = number
        self.catch_up()

    def go_back(self, number: int | None) -> None:
        """To where the cursor was; None: it follows."""
        self.cursor = number
        self.catch_up()

    def catch_up(self) -> None:
        """After the list has grown: count what is new below."""
        if self.cursor is not None:
            self.unseen = len(self._list) - self._list.index(self._newest + 1)

    def view(self, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        """The entries in view with their lines, `height` in all at most; none where nothing is shown."""
        if self.cursor is None or not len(self._list):
            self._drawn = self._upward(len(self._list) - 1, height, lines_of)
            return self._drawn
        top, place = min(self._list.index(self._top), self.place), self.place
        drawn = self._downward(top, height, lines_of)
        if not drawn or drawn[-1][0] < place or (drawn[-1][0] == place and self._is_cut(drawn[-1], lines_of)):
            drawn = self._upward(place, height, lines_of)
        if drawn and sum(len(lines) for _, lines in drawn) < height:
            drawn = self._upward(len(self._list) - 1, height, lines_of)
        self._top = self._list.numbers[drawn[0][0]] if drawn else 0
        self._drawn = drawn
        return drawn

    def place_at(self, row: int) -> int | None:
        """The entry of which a line is in that row of the view."""
        for place, lines in self._drawn:
            row -= len(lines)
            if row < 0:
                return place
        return None

    def _upward(self, last: int, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        """From the entry at the bottom, which is whole; the one at the top may lack its first lines."""
        drawn: Drawn = []
        room = height
        for place in range(last, -1, -1):
            lines = lines_of(self._list.entries[place])[-room:]
            drawn.append((place, lines))
            room -= len(lines)
            if room <= 0:
                break
        return drawn[::-1]

    def _downward(self, first: int, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        drawn: Drawn = []
        room = height
        for place in range(first, len(self._list)):
            if room <= 0:
                break
            lines = lines_of(self._list.entries[place])[:room]
            drawn.append((place, lines))
            room -= len(lines)
        return drawn

    def _is_cut(self, drawn: tuple[int, list[Line]], lines_of: Callable[[LogEntry], list[Line]]) -> bool:
        return len(drawn[1]) < len(lines_of(self._list.entries[drawn[0]]))
