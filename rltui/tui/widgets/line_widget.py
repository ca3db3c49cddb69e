"""Widget that draws styled lines."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from rltui.errors import in_words
from rltui.tui.messages import unforeseen
from rltui.tui.text import Line, fit, plain, wrap
from rltui.tui.themes import role_style


class LineWidget(Widget):
    """Subclasses define `paint`; call `repaint` whenever what it reads has changed.

    An exception in `paint` is shown in the widget's own room: one faulty pane does not take the others with it.
    """

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=name, classes=classes)
        self.lines: list[Line] = []
        self._painted_for: Size | None = None  # the size that the lines are for; None where they are old
        self._drawing = False  # rows are wanted for the terminal, not to find out what the mouse is on

    def paint(self, width: int, height: int) -> list[Line]:
        """The content, at most `height` lines for `width` columns."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Paint again; refresh where the lines are others than those on screen."""
        if not self.is_attached or not self.display:
            self._painted_for = None
            return
        before, self.lines = self.lines, self._lines_or_failure()
        if self.lines != before:
            self.refresh()

    def _lines_or_failure(self) -> list[Line]:
        self._painted_for = self.size
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
        return wrap(f"✗ This pane cannot draw: {self.in_words(error)}", width, "bad")

    def in_words(self, error: BaseException) -> str:
        """With the name of the file that has the traceback."""
        return unforeseen(self.app)(error) if self.is_attached else in_words(error)

    def on_hide(self) -> None:
        """What comes meanwhile is not painted."""
        self._painted_for = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """For the terminal. A new size is painted first."""
        if self._painted_for != self.size:
            self.lines = self._lines_or_failure()
        self._drawing = True
        try:
            return super().render_lines(crop)
        finally:
            self._drawing = False

    def render_line(self, y: int) -> Strip:
        line = self.lines[y] if y < len(self.lines) else ()
        try:
            segments = self._segments(line)
        except Exception as error:  # a pane can give anything for a line or a role, and must not end the program by it
            segments = self._segments(self._failure(error, self.size.width)[0])
        strip = Strip(segments, self.size.width)
        span = self.text_selection.get_span(y) if self.text_selection is not None else None
        strip = strip if span is None else self._selected(strip, span)
        return strip if self._drawing else strip.apply_offsets(0, y)  # which cost more than the rest of it

    def _segments(self, line: Line) -> list[Segment]:
        """As wide as the content, in the widget's own style with that of each role on top."""
        own, theme = self.visual_style.rich_style, self.app.theme
        return [Segment(text, own + role_style(theme, role)) for text, role in fit(line, self.size.width) if text]

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
