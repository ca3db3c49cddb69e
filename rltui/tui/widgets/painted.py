"""Painted: a widget that draws lines of spans, and sends only the rows that changed to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from rltui.tui.paint import Line, fit, wrap
from rltui.tui.themes import role_style


class Painted(Widget):
    """Subclasses give `paint`; call `repaint` whenever what it reads has changed.

    An exception in `paint` is shown in the widget's own room: one faulty pane does not take the others with it.
    """

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=name, classes=classes)
        self.lines: list[Line] = []
        self._strips: dict[Line, Strip] = {}
        self._role_styles: dict[str, Style] = {}

    def paint(self, width: int, height: int) -> list[Line]:
        """The content, at most `height` lines for `width` columns."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw again and refresh the rows that differ from what is on screen."""
        if not self.is_attached or not self.display:
            return
        old, self.lines = self.lines, self._painted()
        rows = [
            y
            for y in range(max(len(old), len(self.lines)))
            if (old[y] if y < len(old) else None) != (self.lines[y] if y < len(self.lines) else None)
        ]
        if rows:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in rows if y < self.size.height))

    def _painted(self) -> list[Line]:
        width, height = self.size
        if width < 1 or height < 1:
            return []
        try:
            lines = self.paint(width, height)
        except Exception as error:  # whatever a pane's drawing raises must not end the program
            lines = self._failure(error, width)
        return lines[:height]

    def _failure(self, error: Exception, width: int) -> list[Line]:
        self.log.error(f"{self!r} cannot draw: {error!r}")
        return wrap(f"✗ This pane cannot draw: {type(error).__name__}: {error}", width, "bad")

    def on_resize(self) -> None:
        self.lines = self._painted()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._role_styles.clear()

    def render_line(self, y: int) -> Strip:
        line = self.lines[y] if y < len(self.lines) else ()
        strip = self._strips.get(line)
        if strip is None or strip.cell_length != self.size.width:
            strip = self._strip_or_failure(line)
            if len(self._strips) > 500:
                self._strips.clear()
            self._strips[line] = strip
        return strip

    def _strip_or_failure(self, line: Line) -> Strip:
        try:
            return self._strip(line)
        except Exception as error:  # a line that is no line, or in a role that is none
            return self._strip(self._failure(error, self.size.width)[0])

    def _strip(self, line: Line) -> Strip:
        width = self.size.width
        segments = [Segment(text, self._style(role)) for text, role in fit(line, width) if text]
        return Strip(segments, width)

    def _style(self, roles: str) -> Style:
        """The widget's own style with that of each role on top."""
        style = self._role_styles.get(roles)
        if style is None:
            style = self._role_styles[roles] = self.rich_style + role_style(self.app.theme, roles)
        return style
