"""Rows with a cursor inside a pane, which shows while the pane has the focus."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.tui.paint import Line
from rltui.tui.widgets.cursored import Cursored


class Selecting(Cursored):
    """Call `selection` from `paint`. head: lines above the rows, which stay where they are."""

    RESTS = False

    def selection(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head and the rows in view, each of which can have the cursor."""
        self.stand(range(len(rows)))
        return self.in_view(head, rows, width, height)
