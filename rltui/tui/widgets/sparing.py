"""SparingCompositor: brings to the terminal what has changed, and asks the widgets for no more than that.

Textual has no public way to do so. Of its private parts this uses `_compositor.Compositor` with `_dirty_regions` and
`_regions_to_spans`, `_compositor.CompositorUpdate` and `_context.visible_screen_stack`. tests/unit/tui/widgets/test_sparing.py
compares what comes out with what Textual's own compositor draws, so a version in which they are others is noticed there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual._compositor import CompositorUpdate
from textual._context import visible_screen_stack
from textual.geometry import Region

from rltui.tui.widgets.drawn_places import DrawnCompositor

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from textual.screen import Screen
    from textual.strip import Strip
    from textual.widget import Widget

Span = tuple[int, int, int]  # row, first column, column behind the last
Place = tuple["Widget", Region, Region]  # as in Compositor.layers_visible: what of it can be seen, the whole


class PiecesUpdate(CompositorUpdate):
    """Parts of rows and where they go: (column, row, strip)."""

    def __init__(self, pieces: list[tuple[int, int, Strip]]) -> None:
        self.pieces = pieces

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for _, _, strip in self.pieces:
            yield from strip

    def render_segments(self, console: Console) -> str:
        """As the terminal takes them."""
        return "".join(f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for x, y, strip in self.pieces)


class SparingCompositor(DrawnCompositor):
    """Textual's own asks each widget near a change for all of its rows, those that others cover included."""

    def render_update(
        self, full: bool = False, screen_stack: list[Screen[object]] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        if full or simplify:
            return super().render_update(full, screen_stack, simplify)
        visible_screen_stack.set([] if screen_stack is None else screen_stack)
        screen, dirty = self.size.region, self._dirty_regions.copy()
        self._dirty_regions.clear()
        spans = list(self._regions_to_spans(region.intersection(screen) for region in dirty))
        return PiecesUpdate(list(self._pieces(spans))) if spans else None

    def _pieces(self, spans: Iterable[Span]) -> Iterator[tuple[int, int, Strip]]:
        """What is in front at these spans; the rows that a widget gives one below the other are asked for at once."""
        for place, found in self._owners(spans).items():
            widget, seen, whole = place
            for run in _runs(found):
                rows = Region(seen.x - whole.x, run[0][0] - whole.y, seen.width, run[-1][0] - run[0][0] + 1)
                strips = widget.render_lines(rows)
                for y, start, end in run:
                    strip = strips[y - run[0][0]]
                    if len(strip.text) != strip.cell_length:
                        start, end = self._with_halves(place, strip, (y, start, end))
                    yield start, y, strip.crop(start - seen.x, end - seen.x)

    def _with_halves(self, place: Place, strip: Strip, span: Span) -> tuple[int, int]:
        """A character of two columns, half of which was covered until now, has left the terminal: its other half too."""
        y, start, end = span
        first, last = start - place[1].x, end - place[1].x
        if _is_halved(strip, first) and self._is_in_front(place, start - 1, y):
            start -= 1
        if _is_halved(strip, last) and self._is_in_front(place, end, y):
            end += 1
        return start, end

    def _is_in_front(self, place: Place, x: int, y: int) -> bool:
        """Whether it is what can be seen there."""
        return next((one for one in self.layers_visible[y] if one[1].x <= x < one[1].right), None) is place

    def _owners(self, spans: Iterable[Span]) -> dict[Place, list[Span]]:
        """Whose each part of the spans is: the foremost widget's. Of each place its spans are in the order of the rows."""
        layers = self.layers_visible
        found: dict[Place, list[Span]] = defaultdict(list)
        for y, start, end in spans:
            open_parts = [(start, end)]
            for place in layers[y]:
                behind: list[tuple[int, int]] = []
                for left, right in open_parts:
                    first, last = max(left, place[1].x), min(right, place[1].right)
                    if first >= last:
                        behind.append((left, right))
                        continue
                    found[place].append((y, first, last))
                    behind += [part for part in ((left, first), (last, right)) if part[0] < part[1]]
                open_parts = behind
                if not open_parts:
                    break
        return found


def _is_halved(strip: Strip, column: int) -> bool:
    """Whether a character stands on both sides of where this column begins."""
    around = strip.crop(column - 1, column + 1).text if 0 < column < strip.cell_length else ""
    return around[:1] != " " and cell_len(around[:1]) == 2


def _runs(spans: list[Span]) -> Iterator[list[Span]]:
    """Those of rows that follow each other, together. spans: by row."""
    run: list[Span] = []
    for span in spans:
        if run and span[0] > run[-1][0] + 1:
            yield run
            run = []
        run.append(span)
    if run:
        yield run
