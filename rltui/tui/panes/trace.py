"""The reward trace: what one car of the watched match is paid, component by component, step by step, while it plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from rltui.events.match_frames import Watched
from rltui.tui.actions import pane_bindings
from rltui.tui.paid_steps import PaidStep, PaidSteps
from rltui.tui.paint import Line, ends
from rltui.tui.panes.pane import View
from rltui.tui.panes.trace_table import DrawnRows, TraceRows, TraceTable, time_text
from rltui.tui.panes.watching import WatchingPane
from rltui.tui.widgets.scrolled import Scrolled

BARS = 12  # rows of content from which on the sums have bars


class TracePane(WatchingPane, Scrolled):
    """Newest at the bottom; below it the sums of this episode and of the one before."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("trace")
    NUMBER = "v"
    SLOT = "charts"
    NAME = "Reward trace"
    SHORT = "Trace"
    INTERVAL = 1.0  # every row moves with each drawing
    FOLLOW = True
    HELP = (
        "Each row is a step of the match in the arena (<arena>), each column what one reward pays this car for it, weight, "
        "modes, team spirit and zero sum included: together they are the total, from which the car learns. A dot is "
        "nothing. <trace.car_before> and <trace.next_car> choose the car; <trace.hold> holds the rows still, and so does scrolling up. Where there is no room for "
        "all rewards, those that lately paid least are added up in one column."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.car = 0
        self.paid = PaidSteps()
        self._drawn_rows = DrawnRows()
        self._held: tuple[PaidStep, ...] | None = None  # what is looked at while it stands still

    def take_frame(self, frame: Watched) -> None:
        self.paid.take(frame)

    def action_car(self, step: int) -> None:
        """The next car, or the one before."""
        self.car = (self.car + step) % max(self.paid.cars, 1)
        self.repaint()

    def action_hold(self) -> None:
        """Stand still, or follow again."""
        self.following = not self.following
        self.repaint()

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        self.car = min(self.car, max(self.paid.cars - 1, 0))
        steps = self._shown()
        table = TraceTable(self.paid, self.car, width)
        head = [self._headline(view, frame, width), *table.head]
        foot = table.foot(self.paid, bars=height >= BARS)
        room = max(height - len(head) - len(foot), 0)
        rows = self.window(TraceRows(steps, table, self._drawn_rows), room)
        rows = [*([()] * (room - len(rows))), *rows]
        return [*head, *rows, *foot][:height]

    def subtitle(self, view: View) -> str:
        """A sum that does not begin with its episode says so."""
        steps = [step for step in (self.paid.newest, self.paid.before) if step is not None and not step.whole]
        return f"* from {time_text(steps[-1].since)} on" if steps and self._is_lit(view) else ""

    def _shown(self) -> Sequence[PaidStep]:
        if self.following:
            self._held = None
            return tuple(self.paid.steps)
        if self._held is None:
            self._held = tuple(self.paid.steps)
        return self._held

    def _headline(self, view: View, frame: Watched, width: int) -> Line:
        cars = frame.moment.cars
        team = "orange" if cars[self.car].team else "blue"
        role = "series-2" if cars[self.car].team else "series-1"
        left: Line = ((f"car {self.car + 1} of {len(cars)}, {team}", role), (f"  episode {frame.episode}", "muted"))
        if not self.following:
            left = (*left, ("  held: space goes on", "warn"))
        return ends(left, (self.whose(view, frame),), width)
