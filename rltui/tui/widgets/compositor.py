"""PlacedCompositor: passes over widgets that have no place yet.

Textual 8.2's own arranges the screen for them at once, finds nothing new in the layout that follows, and so never sends
them to the terminal: a toast that comes while others draw stays unseen. A screen takes this one as its `_compositor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import Compositor

if TYPE_CHECKING:
    from textual.widget import Widget


class PlacedCompositor(Compositor):
    def update_widgets(self, widgets: set[Widget]) -> None:
        super().update_widgets(widgets & self.visible_widgets.keys())
