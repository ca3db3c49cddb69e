"""Pane with zoomable charts of all metrics, on one time axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Protocol, cast

from textual import events
from textual.binding import BindingType

from rltui import formatting
from rltui.errors import RltuiError
from rltui.events.episode_reward import SHORT_SO_FAR, WHY_SHORT
from rltui.events.metrics import health_of, metric_of
from rltui.events.records import CLOCK
from rltui.formatting import over_episodes
from rltui.run_state.change_command import setting_of_metric
from rltui.run_state.other_run import OtherRuns, adjacent_run
from rltui.run_state.rewards import mean_over_episodes
from rltui.tui.actions import pane_bindings
from rltui.tui.background import if_mounted
from rltui.tui.messages import Refused
from rltui.tui.panes.chart_header import (
    USUAL_CHARTS,
    chart_chooser,
    charted,
    head_lines,
    help_lines,
    to_try,
    with_marked,
)
from rltui.tui.panes.chart_view import (
    CORE,
    MOST_ACROSS,
    MOST_DOWN,
    Cell,
    Charting,
    ChartScene,
    all_keys,
    cells,
    chart_keys,
    draw_cells,
    first_row,
    grid,
    moved_cursor,
    next_count,
    next_smoothing,
    row_at,
    span_of,
    with_cursor,
    zoomed,
)
from rltui.tui.panes.comparison import NO_RUN, Choice, OtherRunRead, RunComparison, RunsListed, run_chooser
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.pane import Pane, View, in_the_middle
from rltui.tui.text import Line, beside, text_line, wrap
from rltui.tui.widgets.chart import AXIS
from rltui.tui.widgets.filter_bar import AROUND, Filtered, Pattern, filter_words, is_attended
from rltui.tui.widgets.plot import DecimationCache

ALONE = "there is no other run to compare with"
HELP_WIDTH, BESIDE_FROM = 44, 96  # columns of the explanation, and of a pane from which on it stands beside the charts
USUAL_WIDTH = 40  # columns of a chart before the first one has been drawn
LEAST_CHART = 5  # lines


class _HasRuns(Protocol):
    other_runs: OtherRuns


class MetricsPane(Pane):
    """A grid of charts with one time axis. `charting` is how they are looked at, `cells` where each stands."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("metrics")
    NUMBER = "1"
    SLOT = "charts"
    NAME = "Metrics"
    SHORT = "Metrics"
    FILTERS = True
    EVERY = 2.9
    EMPTY = "Charts appear with the first finished iteration."
    HELP = (
        "A gap is an iteration without that figure, a dotted line a milestone, a change or a resume, ╎ the end of the "
        "shorter compared run. Where many iterations share a column, the line is their mean and the grey band their "
        "range; a smoothed line has the raw one behind it. Figures are the newest iteration's, those of rewards, without a "
        "cursor or another run, means over the newest 100 episodes or so. The change before the value: of the newest half of the "
        "iterations, 300 to 1,200, the last sixth against the others. A filter searches all metrics. The verdict judges "
        "that change of the reward since the newest start or change of rewards: learning from five times its noise on, "
        "until it is within the noise and the best 150 iterations old; falling likewise; else flat. best and now are "
        "means of 50 iterations. Unhealthy: a figure outside its usual range in 15 of 20 iterations (until "
        "5), updates dropped, or a worker ill. A dash: under 60 iterations with a reward, or too noisy to tell. "
        f"{SHORT_SO_FAR.capitalize()}: {WHY_SHORT}."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.charting = Charting()
        self.cells: Sequence[Cell] = ()
        self.memory = DecimationCache()
        self.comparison = RunComparison(self.post_message)
        self._first = 0  # row of charts in view
        self._dragging = False

    def on_unmount(self) -> None:
        self.comparison.stop()

    @property
    def setting(self) -> str:
        return setting_of_metric(str(self.standing))

    @property
    def filtered(self) -> Filtered | None:
        return self if self.view is not None and not self.has_nothing(self.view) else None

    @property
    def pattern(self) -> Pattern:
        return self.charting.pattern

    @property
    def standing(self) -> object:
        keys = self.keys(self.view) if self.view is not None else ()
        return keys[self.charting.at] if self.charting.at < len(keys) else None

    def matching(self) -> tuple[Sequence[object], int]:
        """Of all metrics, charted or not."""
        return (self.keys(self.view), len(all_keys(self.view.snapshot.history))) if self.view is not None else ((), 0)

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        """The same chart has the attention, or the first that is found."""
        here = self.standing if goes is None else goes
        self.charting = replace(self.charting, pattern=pattern)
        keys = self.matching()[0]
        self.change(replace(self.charting, at=keys.index(here) if here in keys else 0))

    def move(self, rows: int) -> None:
        self.action_select(rows)

    def _shown_view(self) -> View:
        """Of which there are charts."""
        if self.view is None or self.has_nothing(self.view):
            raise RltuiError("there are no charts before the first iteration")
        return self.view

    def change(self, charting: Charting) -> None:
        """Look at the charts like this."""
        self.charting = charting
        self.redraw()

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.history.length

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.history.length, view.snapshot.marks, view.charts

    def keys(self, view: View) -> list[str]:
        """Of the charts, in order."""
        return chart_keys(self.charting, view.snapshot.history)

    def scene(self, view: View) -> ChartScene:
        """What is drawn from, at this view."""
        return ChartScene(
            view.snapshot, self.charting, view.charts, self.comparison.run, is_attended(self), self.memory
        )

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

    def subtitle(self, view: View) -> str:
        last = view.snapshot.history.length
        if not last:
            return ""
        total, shown = len(self.keys(view)), len(self.cells)
        part = f"{shown} of {total} charts, " if 0 < shown < total else ""
        words = f"{part}{_windowed(last, self.charting)}"
        room, over = self.outer_size.width - AROUND, self._over_episodes(view)
        if over and len(f"{words}, rewards{over}") <= room:
            words = f"{words}, rewards{over}"
        usual = f"[$muted]{words}[/]"
        if not self.pattern.text:
            return usual
        return filter_words(self.pattern, total, self.matching()[1], room, usual)

    def _over_episodes(self, view: View) -> str:
        """Of how many episodes the figures of rewards are; empty where none is of more than an iteration."""
        if self.charting.cursor is not None or self.comparison.run is not None:
            return ""
        found = (mean_over_episodes(view.snapshot, cell.key) for cell in self.cells)
        reward = next((each[1] for each in found if each is not None), None)
        return over_episodes(reward.episodes, reward.short) if reward is not None else ""

    def explained(self) -> list[tuple[str, str]]:
        keys = self.keys(self.view) if self.view else CORE
        return [("", self.HELP), *((_name_with_unit(key), _explanation(key)) for key in keys)]

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        self.cells = ()
        keys = self.keys(view)
        self.charting = replace(self.charting, at=min(self.charting.at, max(len(keys) - 1, 0)))
        scene = self.scene(view)
        head = head_lines(scene, width)
        head = head[: max(height - LEAST_CHART, 0)]
        size = width, height - len(head)
        if not keys:
            nothing = wrap("No metric of this run matches the filter.", width, "muted")
            return [*head, *in_the_middle(nothing, *size)]
        body = self._explained_charts if self.charting.explained else self._charts
        return [*head, *body(scene, keys, size, len(head))]

    def _explained_charts(self, scene: ChartScene, keys: Sequence[str], size: tuple[int, int], top: int) -> list[Line]:
        """The explanation of the selected metric beside the charts; in a narrow pane below its chart alone."""
        width, height = size
        is_beside = width >= BESIDE_FROM
        columns = HELP_WIDTH if is_beside else width
        text = help_lines(scene.snapshot, keys[self.charting.at], self.charting.cursor, columns)
        if is_beside:
            room = width - HELP_WIDTH - 4
            rule = [text_line("│", "track")] * height
            charts = self._charts(scene, keys, (room, height), top)
            return beside([charts, rule, text], [room, 1, HELP_WIDTH], 1)[:height]
        room = height - len(text) - 1
        if room < LEAST_CHART:
            return text[:height]
        alone = replace(scene, charting=replace(self.charting, alone=True))
        return [*self._charts(alone, keys, (width, room), top), text_line("─" * width, "track"), *text]

    def _charts(self, scene: ChartScene, keys: Sequence[str], size: tuple[int, int], top: int) -> list[Line]:
        self._first = first_row(keys, scene.charting, size, self._first)
        self.cells = cells(keys, scene.charting, size, self._first, top)
        return draw_cells(scene, self.cells)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and not self.pattern.text and self._go_back():
            event.stop()

    def _go_back(self) -> bool:
        """One thing less: the explanation, the enlarged chart, the cursor, the compared run. False: none there."""
        charting = self.charting
        if charting.explained:
            charting = replace(charting, explained=False)
        elif charting.alone:
            charting = replace(charting, alone=False)
        elif charting.cursor is not None:
            charting = replace(charting, cursor=None)
        elif self.comparison.run is not None:
            self._compare_with(NO_RUN)
            charting = self.charting
        else:
            return False
        self.change(charting)
        return True

    def action_smooth(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, smoothing=next_smoothing(self.charting.smoothing)))

    def action_log_axis(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, log=not self.charting.log))

    def action_guides(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, guides=not self.charting.guides))

    def action_explain(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, explained=not self.charting.explained))

    def action_enlarge(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, alone=not self.charting.alone))

    def action_columns(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, across=next_count(self.charting.across, MOST_ACROSS)))

    def action_rows(self) -> None:
        self._shown_view()
        self.change(replace(self.charting, down=next_count(self.charting.down, MOST_DOWN)))

    def action_zoom(self, direction: int) -> None:
        """1: half as many timesteps; -1: twice as many."""
        view, factor = self._shown_view(), 0.5 if direction > 0 else 2.0
        charting = zoomed(self.charting, view.snapshot.history, self.scene(view).whole, factor)
        if charting == self.charting:
            raise RltuiError("a few iterations are shown" if direction > 0 else "all timesteps are shown")
        self.change(charting)

    def action_move_cursor(self, columns: int) -> None:
        """On at the newest iteration; then so many columns further."""
        view = self._shown_view()
        room = max((cell.width for cell in self.cells), default=USUAL_WIDTH) - AXIS
        self.change(moved_cursor(self.charting, view.snapshot.history, self.scene(view).whole, columns, room))

    def action_select(self, steps: int) -> None:
        """The chart so many places further on has the attention."""
        last = max(len(self.keys(self._shown_view())) - 1, 0)
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

    def action_choose(self) -> None:
        """The list of all metrics."""
        history = self._shown_view().snapshot.history
        marked = charted(self.charting, history)

        def take(name: str | None) -> None:
            if name is not None:
                self.change(with_marked(set() if name == USUAL_CHARTS else marked, self.charting, history))

        self.app.push_screen(chart_chooser(marked, history), take)

    def action_log_there(self) -> None:
        """The log, at the cursor's moment."""
        history = self._shown_view().snapshot.history
        if self.charting.cursor is None:
            raise RltuiError("no moment is chosen: the arrows, or a click on a chart, bring up the cursor")
        clock = history.columns.get(CLOCK)
        if clock is not None:
            self.screen.query_one(LogPane).jump_to(clock[row_at(history, self.charting.cursor)])
            self.call_later(self.screen.run_action, f"pane('{LogPane.NUMBER}')")

    def action_compare(self) -> None:
        self._list_runs("choose")

    def action_other_run(self, step: int) -> None:
        self._list_runs("next" if step > 0 else "previous")

    @property
    def _other_runs(self) -> OtherRuns:
        return cast("_HasRuns", self.app).other_runs

    def _list_runs(self, choice: Choice) -> None:
        """RunsListed comes."""
        self.comparison.ask(self._other_runs, self._shown_view().snapshot.run, choice)

    @if_mounted
    def on_runs_listed(self, message: RunsListed) -> None:
        """A list to choose from, or the run next to the one compared so far."""
        message.stop()
        now = self.comparison.run
        if message.problem or not message.names:
            self.post_message(Refused(RltuiError(message.problem or ALONE)))
        elif message.choice == "choose":
            when = self.view.now if self.view is not None else 0.0
            self.app.push_screen(run_chooser(message.briefs, when, now is not None), self._compare_if)
        else:
            here = now.name if now is not None else ""
            self._compare_with(adjacent_run(message.names, here, 1 if message.choice == "next" else -1))
        self.redraw()

    def _compare_if(self, name: str | None) -> None:
        if name is not None:
            self._compare_with(name)
            self.redraw()

    def _compare_with(self, name: str) -> None:
        """name: NO_RUN for none."""
        self.memory.forget()  # of the run compared so far
        if name == NO_RUN:
            self.comparison.stop()
        else:
            self.comparison.start(name, self._other_runs, self.in_words)

    def action_whole(self) -> None:
        """All timesteps."""
        self._shown_view()
        if self.charting.window is None:
            raise RltuiError("all timesteps are shown")
        self.change(replace(self.charting, window=None, end=None))

    @if_mounted
    def on_other_run_read(self, message: OtherRunRead) -> None:
        """More of it is known."""
        message.stop()
        self.comparison.take(message.run)
        self.redraw()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -1)

    def _scroll(self, event: events.MouseEvent, rows: int) -> None:
        """The wheel: a row of charts up or down; with ctrl it zooms."""
        event.stop()
        steps = rows * grid(*self.size, self.charting)[0]
        self.call_next(self.run_action, f"zoom({-rows})" if event.ctrl else f"select({steps})")


def _windowed(iterations: int, charting: Charting) -> str:
    """Of which iteration the figures beside the charts' names are, of how many."""
    if charting.cursor is not None or iterations == 1:
        return formatting.plural(iterations, "iteration")
    return f"figures: newest of {iterations:,} iterations"


def _name_with_unit(key: str) -> str:
    metric = metric_of(key)
    return f"{metric.label} ({metric.unit})" if metric.unit else metric.label


def _explanation(key: str) -> str:
    health = health_of(key)
    return " ".join(part for part in (metric_of(key).help, health.healthy, to_try(health)) if part)
