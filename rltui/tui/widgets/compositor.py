"""PlacedCompositor: passes over widgets that have no place yet, and draws anew what lies between dialog and live screen.

Textual 8.2's own arranges the screen for them at once, finds nothing new in the layout that follows, and so never sends
them to the terminal: a toast that comes while others draw stays unseen. Under a dialog that lies on another it draws the
screen below from the other's cache: that stands still. A screen takes this one as its `_compositor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from textual._compositor import Compositor

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget


class PlacedCompositor(Compositor):
    def update_widgets(self, widgets: set[Widget]) -> None:
        super().update_widgets(widgets & self.visible_widgets.keys())

    def render_update(
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        for between in (screen_stack or [])[1:]:
            between._set_dirty()
        return super().render_update(full, screen_stack, simplify)
