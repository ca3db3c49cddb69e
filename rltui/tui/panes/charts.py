"""Pane with zoomable charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import events

from rltui.tui.panes.chart_view import (
    MOST_ACROSS,
    MOST_DOWN,
    Cell,
    Charting,
    ChartScene,
    charted,
    grid,
    moved_cursor,
    next_count,
    next_smoothing,
    panned,
    span_of,
    with_cursor,
    zoomed,
)
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.chart import AXIS
from rltui.tui.widgets.plot import DecimationCache

USUAL_WIDTH = 40  # columns of a chart before the first one has been drawn


class ChartsPane(Pane):
    """`charting` is how the charts are looked at; subclasses draw them and say in `cells` where each stands."""

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.charting = Charting()
        self.cells: Sequence[Cell] = ()
        self.memory = DecimationCache()
        self._dragging = False

    def keys(self, view: View) -> list[str]:
        """Of the charts, in order."""
        return charted(self.charting, view.snapshot.history)

    def scene(self, view: View) -> ChartScene:
        """What is drawn from, at this view."""
        return ChartScene(view.snapshot, self.charting, view.charts, None, self.has_focus, self.memory)

    def change(self, charting: Charting) -> None:
        """Look at the charts like this."""
        self.charting = charting
        self.redraw()

    def redraw(self) -> None:
        """At once, whatever the pace of new figures."""
        self.repaint()
        if self.view is not None:
            self._set_subtitle(self.subtitle(self.view))

    def _take(self, view: View) -> None:
        """The subtitle once more, for how many charts there are is known only when they have been drawn."""
        super()._take(view)
        self._set_subtitle(self.subtitle(view))

    def on_resize(self) -> None:
        self.call_next(self.redraw)

    def watch_has_focus(self, has_focus: bool) -> None:
        """The selected chart is shown as such while the pane has the focus; on_blur would come too early for that."""
        super().watch_has_focus(has_focus)
        self.redraw()

    def action_smooth(self) -> None:
        self.change(replace(self.charting, smoothing=next_smoothing(self.charting.smoothing)))

    def action_log_axis(self) -> None:
        self.change(replace(self.charting, log=not self.charting.log))

    def action_guides(self) -> None:
        self.change(replace(self.charting, guides=not self.charting.guides))

    def action_explain(self) -> None:
        self.change(replace(self.charting, explained=not self.charting.explained))

    def action_enlarge(self) -> None:
        self.change(replace(self.charting, alone=not self.charting.alone))

    def action_columns(self) -> None:
        self.change(replace(self.charting, across=next_count(self.charting.across, MOST_ACROSS)))

    def action_rows(self) -> None:
        self.change(replace(self.charting, down=next_count(self.charting.down, MOST_DOWN)))

    def action_zoom(self, direction: int) -> None:
        """1: half as many timesteps; -1: twice as many."""
        if self.view is not None:
            factor = 0.5 if direction > 0 else 2.0
            self.change(zoomed(self.charting, self.view.snapshot.history, self.scene(self.view).whole, factor))

    def action_whole(self) -> None:
        self.change(replace(self.charting, window=None, end=None))

    def action_pan(self, direction: int) -> None:
        if self.view is not None:
            self.change(panned(self.charting, self.scene(self.view).whole, direction))

    def action_cursor(self) -> None:
        """On at the newest iteration, or off."""
        if self.charting.cursor is not None:
            self.change(replace(self.charting, cursor=None))
        else:
            self.action_move_cursor(0)

    def action_move_cursor(self, columns: int) -> None:
        if self.view is not None:
            room = max((cell.width for cell in self.cells), default=USUAL_WIDTH) - AXIS
            whole = self.scene(self.view).whole
            self.change(moved_cursor(self.charting, self.view.snapshot.history, whole, columns, room))

    def action_select(self, steps: int) -> None:
        """The chart so many places further on has the attention."""
        if self.view is not None:
            last = max(len(self.keys(self.view)) - 1, 0)
            self.change(replace(self.charting, at=min(max(self.charting.at + steps, 0), last)))

    def action_page(self, direction: int) -> None:
        self.action_select(direction * max(len(self.cells), 1))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and self._point_at(event):
            self._dragging = True
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._point_at(event)

    def on_mouse_up(self) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and self.cells:
            self.action_enlarge()

    def _point_at(self, event: events.MouseEvent) -> bool:
        """Select the chart at the mouse and read all at its moment; False where there is no chart."""
        offset = event.get_content_offset_capture(self)
        cell = self._cell_at(offset.x, offset.y)
        if cell is None or self.view is None:
            return False
        whole = self.scene(self.view).whole
        x = cell.timesteps(offset.x, span_of(self.charting, whole))
        self.change(with_cursor(replace(self.charting, at=cell.index), x, whole))
        return True

    def _cell_at(self, x: int, y: int) -> Cell | None:
        """The chart at the point; while dragging the one where that began."""
        if self._dragging:
            return next((cell for cell in self.cells if cell.index == self.charting.at), None)
        return next((cell for cell in self.cells if cell.holds(x, y)), None)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.scroll_charts(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.scroll_charts(event, -1)

    def scroll_charts(self, event: events.MouseEvent, rows: int) -> None:
        """The wheel: a row of charts up or down; with ctrl it zooms."""
        event.stop()
        if event.ctrl:
            self.action_zoom(-rows)
        else:
            self.action_select(rows * grid(*self.size, self.charting)[0])
