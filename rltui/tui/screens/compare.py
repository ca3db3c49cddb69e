"""Two saved states side by side. What lies between them in the journal is read in a thread."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from rltui.events.episode_reward import REWARD
from rltui.runs.paths import DataDir
from rltui.tui.browser.comparison import lines
from rltui.tui.browser.pair import Comparison, can_choose_range, curves_between
from rltui.tui.browser.past import Curves
from rltui.tui.news import while_there
from rltui.tui.paint import Line
from rltui.tui.screens.dialog import Dialog
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.scrolled import Scrolled


class CompareText(Scrolled):
    """Set `comparison`, `metric` and `whole` (the chart has all timesteps), then repaint."""

    def __init__(self, comparison: Comparison, clock: Callable[[], float], style: ChartStyle) -> None:
        super().__init__(name="compare-text")
        self._charts = style
        self.comparison, self._clock, self.metric = comparison, clock, REWARD
        self.whole = False

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(lines(self.comparison, self.metric, self._clock(), width, self._charts, self.whole), height)


class CompareScreen(Dialog[None]):
    """esc closes; [ and ] choose the metric, w the timesteps of the chart."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("equals_sign", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
        ("left_square_bracket", "metric(-1)", "Metric"),
        ("right_square_bracket", "metric(1)", "Metric"),
        ("w", "range", "Range"),
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
            yield self._text

    def on_mount(self) -> None:
        self._text.focus()
        self._show_keys()
        self.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        self.post_message(self.Read(curves_between(self._data, self._text.comparison)))

    @while_there
    def on_compare_screen_read(self, message: Read) -> None:
        self._text.comparison = dataclasses.replace(self._text.comparison, curves=message.curves)
        self._shown_anew()

    def action_metric(self, step: int) -> None:
        keys = self._text.comparison.metrics()
        if keys:
            here = keys.index(self._text.metric) if self._text.metric in keys else 0
            self._text.metric = keys[(here + step) % len(keys)]
            self._shown_anew()

    def action_range(self) -> None:
        """All timesteps, or those near which both curves are, where there is a choice."""
        if can_choose_range(self._text.comparison, self._text.metric):
            self._text.whole = not self._text.whole
            self._shown_anew()

    def _shown_anew(self) -> None:
        self._text.repaint()
        self._show_keys()

    def _show_keys(self) -> None:
        keys = ["esc closes", "↑ ↓ scroll", "[ ] another metric"]
        if can_choose_range(self._text.comparison, self._text.metric):
            keys.append("w where both are" if self._text.whole else "w all timesteps")
        self.query_one("#compare").border_subtitle = " · ".join(keys)
