"""Widget that draws styled lines, and sends only the rows that changed to the terminal.

`_set_dirty`, which Textual does not document, tells when the styles may have changed; tests/unit/tui/widgets/test_sparing.py
compares the rows with Textual's own after changes of focus and theme.
"""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from rltui.tui.text import Line, Span, fit, plain, wrap
from rltui.tui.themes import role_style
from rltui.tui.widgets.frame import PICTURES, Frame, leaves_content


class LineWidget(Widget):
    """Subclasses define `paint`; call `repaint` whenever what it reads has changed.

    An exception in `paint` is shown in the widget's own room: one faulty pane does not take the others with it.
    """

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=name, classes=classes)
        self.lines: list[Line] = []
        self._strips: dict[Line, Strip] = {}
        self._role_styles: dict[str, Style] = {}
        self._drawing = False  # a row is wanted for the terminal, not to find out what the mouse is on
        self._frame: Frame | None = None  # None until the present styles have drawn a row
        self._fit_for: Size | None = None  # the size that the lines were painted for

    def paint(self, width: int, height: int) -> list[Line]:
        """The content, at most `height` lines for `width` columns."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw again and refresh the rows that differ from what is on screen."""
        if not self.is_attached or not self.display:
            self._fit_for = None
            return
        old, self.lines = self.lines, self._lines_or_failure()
        rows = [
            y
            for y in range(max(len(old), len(self.lines)))
            if (old[y] if y < len(old) else None) != (self.lines[y] if y < len(self.lines) else None)
        ]
        if rows:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in rows if y < self.size.height))

    def _lines_or_failure(self) -> list[Line]:
        self._fit_for = self.size
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

    def on_hide(self) -> None:
        """What comes meanwhile is not painted: these lines will be old."""
        self._fit_for = None

    def on_resize(self) -> None:
        """Unless the terminal has asked for the rows of this size already."""
        if self._fit_for != self.size:
            self.lines = self._lines_or_failure()
            self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._role_styles.clear()
        self._frame = None

    def render_line(self, y: int) -> Strip:
        line = self.lines[y] if y < len(self.lines) else ()
        strip = self._strips.get(line)
        if strip is None or strip.cell_length != self.size.width:
            strip = self._strip(line)
            if len(self._strips) >= PICTURES * max(self.size.height, 1):
                self._strips.clear()
            self._strips[line] = strip
        span = self.text_selection.get_span(y) if self.text_selection is not None else None
        strip = strip if span is None else self._selected(strip, span)
        return strip if self._drawing else strip.apply_offsets(0, y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """For the terminal. Rows of content come from the frame, if the styles allow; borders and the rest are Textual's.

        It needs no offsets: a style of its own for every span of every row costs more than drawing.
        """
        self._drawing = True
        try:
            if self._fit_for != self.size:
                self.lines = self._lines_or_failure()
            frame = self._frame
            if frame is None and leaves_content(self):
                frame = self._frame = self._measured()
            if frame is None or not frame.spans_all(crop) or self.text_selection is not None:
                return super().render_lines(crop)
            return [strip for y in crop.line_range for strip in self._frame_row(frame, y)]
        finally:
            self._drawing = False

    def _measured(self) -> Frame | None:
        """From the first row of content, as Textual draws it; None where there is none."""
        width, height = self.outer_size
        top = self.gutter.top
        if not self.size.area or top >= height:
            return None
        return Frame(self, super().render_lines(Region(0, top, width, 1))[0])

    def _frame_row(self, frame: Frame, y: int) -> list[Strip]:
        """One row of the widget: content, or border."""
        if not frame.top <= y < frame.bottom:
            return super().render_lines(Region(0, y, self.outer_size.width, 1))
        at = y - frame.top
        line = self.lines[at] if at < len(self.lines) else ()
        return [frame.known(line) or frame.row(line, [(span, self._style(span[1])) for span in self._fitted(line)])]

    def _set_dirty(self, *regions: Region) -> None:
        """Without regions, the styles may have changed."""
        if not regions:
            self._frame = None
        super()._set_dirty(*regions)

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

    def _fitted(self, line: Line) -> list[Span]:
        """As wide as the content. What is no line, or in a role that is none, says so."""
        width = self.size.width
        try:
            fitted = fit(line, width)
            for _, role in fitted:
                self._style(role)
        except Exception as error:  # a pane can give anything for a line or a role, and must not end the program by it
            fitted = fit(self._failure(error, width)[0], width)
        return [span for span in fitted if span[0]]

    def _strip(self, line: Line) -> Strip:
        return Strip([Segment(text, self._style(role)) for text, role in self._fitted(line)], self.size.width)

    def _style(self, roles: str) -> Style:
        """The widget's own style with that of each role on top."""
        style = self._role_styles.get(roles)
        if style is None:
            style = self._role_styles[roles] = self.rich_style + role_style(self.app.theme, roles)
        return style
