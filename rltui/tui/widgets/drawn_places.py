"""DrawnCompositor: a widget counts as drawn once it has been drawn, not once somebody has asked where it will be.

Textual's own puts the answer in the place of what it has drawn. A toast that is refreshed before its first layout asks
where it is; the layout then finds nothing new, so the toast never comes to the terminal, and one that has gone stays.

Of Textual's private parts this uses `_compositor.Compositor` with `_full_map_invalidated` and `_arrange_root`; a screen
takes it by setting its own `_compositor`.
tests/unit/tui/widgets/test_drawn_places.py shows what becomes of a screen without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import Compositor

if TYPE_CHECKING:
    from textual._compositor import CompositorMap, ReflowResult
    from textual.geometry import Size
    from textual.widget import Widget


class DrawnCompositor(Compositor):
    """What is asked for between two layouts is kept apart from them."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: CompositorMap | None = None  # places of now, where the last layout knows others

    def clear(self) -> None:
        super().clear()
        self._asked = None

    @property
    def full_map(self) -> CompositorMap:
        if self.root is None or not self._full_map_invalidated:
            return super().full_map
        if self._asked is None:
            self._asked, _ = self._arrange_root(self.root, self.size, visible_only=False)
        return self._asked

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        found = super().reflow(parent, size)
        self._asked, self._full_map_invalidated = None, False
        return found

    def reflow_visible(self, parent: Widget, size: Size) -> set[Widget]:
        self._asked = None
        return super().reflow_visible(parent, size)

    def update_widgets(self, widgets: set[Widget]) -> None:
        if self._asked is not None and not widgets <= self._asked.keys():
            self._asked = None
        super().update_widgets(widgets)
