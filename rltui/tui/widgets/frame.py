"""Frame: rows of a painted widget as the terminal gets them, with what its styles put left and right of the content."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from rltui.tui.text import Line, Span

PICTURES = 2  # whose rows are remembered: hardly a row comes again later, and what is kept in vain grows for hours
SPANS = 8  # remembered for each row


class Frame:
    """Holds as long as the styles stay as they are. Rows and spans that come again are put together once."""

    def __init__(self, widget: Widget, sample: Strip) -> None:
        """sample: a row of content as Textual draws it."""
        width, gutter = widget.outer_size.width, widget.gutter
        self.top, self.bottom = gutter.top, widget.outer_size.height - gutter.bottom  # rows of content
        self._left, self._right = list(sample.crop(0, gutter.left)), list(sample.crop(width - gutter.right))
        self._width = width
        self._most_rows = PICTURES * max(self.bottom - self.top, 1)
        self._filters: Sequence[LineFilter] = widget.get_line_filters()
        self._background: Color = widget.background_colors[1]
        self._rows: dict[Line, Strip] = {}
        self._spans: dict[Span, list[Segment]] = {}

    def spans_all(self, crop: Region) -> bool:
        """Whether whole rows are wanted."""
        return crop.x == 0 and crop.width == self._width

    def known(self, line: Line) -> Strip | None:
        """The row of this line, if it has been drawn."""
        return self._rows.get(line)

    def row(self, line: Line, spans: Sequence[tuple[Span, Style]]) -> Strip:
        """The row of this line. spans: its own, as wide as the content, with their styles."""
        segments = list(self._left)
        for span, style in spans:
            segments += self._drawn(span, style)
        if len(self._rows) >= self._most_rows:
            self._rows.clear()
        strip = self._rows[line] = Strip([*segments, *self._right], self._width)
        return strip

    def _drawn(self, span: Span, style: Style) -> list[Segment]:
        drawn = self._spans.get(span)
        if drawn is None:
            drawn = [Segment(span[0], style)]
            for line_filter in self._filters:
                drawn = line_filter.apply(drawn, self._background)
            if len(self._spans) >= SPANS * self._most_rows:
                self._spans.clear()
            self._spans[span] = drawn
        return drawn


def leaves_content(widget: Widget) -> bool:
    """Whether its styles leave the content itself as it is."""
    styles = widget.styles
    return not (
        styles.text_opacity != 1.0
        or widget.opacity != 1.0
        or styles.tint.a
        or styles.has_rule("hatch")
        or styles.outline
    )
