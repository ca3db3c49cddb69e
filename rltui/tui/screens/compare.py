"""Two saved states side by side. What lies between them in the journal is read in a thread."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from rltui.runs.paths import DataDir
from rltui.tui.browser.comparison import REWARD, Comparison, Curves, lines, read_curves
from rltui.tui.news import while_there
from rltui.tui.paint import Line
from rltui.tui.screens.dialog import Dialog
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.scrolled import Scrolled


class CompareText(Scrolled):
    """Set `comparison` and `metric`, then repaint."""

    def __init__(self, comparison: Comparison, clock: Callable[[], float], style: ChartStyle) -> None:
        super().__init__(name="compare-text")
        self._charts = style
        self.comparison, self._clock, self.metric = comparison, clock, REWARD

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(lines(self.comparison, self.metric, self._clock(), width, self._charts), height)


class CompareScreen(Dialog[None]):
    """esc closes; [ and ] choose the metric."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("equals_sign", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
        ("left_square_bracket", "metric(-1)", "Metric"),
        ("right_square_bracket", "metric(1)", "Metric"),
    ]

    class Read(Message):
        """What the journals tell is here."""

        def __init__(self, curves: Curves) -> None:
            super().__init__()
            self.curves = curves

    def __init__(
        self, data: DataDir, comparison: Comparison, clock: Callable[[], float], style: ChartStyle = "braille"
    ) -> None:
        super().__init__()
        self._data = data
        self._text = CompareText(comparison, clock, style)

    def compose(self) -> ComposeResult:
        with Vertical(id="compare") as box:
            box.border_title = "Two states side by side"
            box.border_subtitle = "esc closes · ↑ ↓ scroll · [ ] another metric"
            yield self._text

    def on_mount(self) -> None:
        self._text.focus()
        self.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        self.post_message(self.Read(read_curves(self._data, self._text.comparison)))

    @while_there
    def on_compare_screen_read(self, message: Read) -> None:
        self._text.comparison = dataclasses.replace(self._text.comparison, curves=message.curves)
        self._text.repaint()

    def action_metric(self, step: int) -> None:
        keys = self._text.comparison.metrics()
        if keys:
            here = keys.index(self._text.metric) if self._text.metric in keys else 0
            self._text.metric = keys[(here + step) % len(keys)]
            self._text.repaint()
