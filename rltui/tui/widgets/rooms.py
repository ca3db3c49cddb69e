"""Rooms: a container whose children stand where they are told, instead of flowing. What has no place is not shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

Child = TypeVar("Child", bound=Widget)


class _Placed(Layout):
    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        parent.pre_layout(self)
        assert isinstance(parent, Rooms)
        places = parent.places
        return [WidgetPlacement(places[child], NULL_OFFSET, Spacing(), child) for child in children if child in places]


class Rooms(Widget):
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
