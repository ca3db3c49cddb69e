"""Painted: a widget that draws lines of spans, and sends only the rows that changed to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from rltui.tui.paint import Line, fit, plain, wrap
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
        self._drawing = False  # a row is wanted for the terminal, not to find out what the mouse is on

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
        span = self.text_selection.get_span(y) if self.text_selection is not None else None
        strip = strip if span is None else self._selected(strip, span)
        return strip if self._drawing else strip.apply_offsets(0, y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """For the terminal, which needs no offsets: a style of its own for every span of every row costs more than drawing."""
        self._drawing = True
        try:
            return super().render_lines(crop)
        finally:
            self._drawing = False

    def _selected(self, strip: Strip, span: tuple[int, int]) -> Strip:
        """The strip with this part of it (columns; -1: to its end) shown as selected."""
        start, end = span[0], strip.cell_length if span[1] == -1 else span[1]
        style = self.screen.get_component_rich_style("screen--selection")
        middle = [Segment(text, (own or Style()) + style) for text, own, _ in strip.crop(start, end)]
        return Strip.join([strip.crop(0, start), Strip(middle), strip.crop(end)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected of what is shown, without trailing blanks."""
        rows = plain(self.lines).split("\n")
        text = "\n".join(rows + [" "] * (self.size.height - len(rows) + 1))
        return "\n".join(row.rstrip() for row in selection.extract(text).split("\n")), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

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
