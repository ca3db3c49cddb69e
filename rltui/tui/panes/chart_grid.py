"""The grid of charts with one time axis: which chart stands where, and the drawing of those in view. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rltui import formatting
from rltui.events.metric_health import Health
from rltui.events.metrics import health_of, metric_of
from rltui.tui.paint import Line, beside
from rltui.tui.panes.charting import GAP, PLAIN, Charting, grid, span_of
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.other_run import OtherRun
from rltui.tui.run.since import change_since
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.chart import AXIS, ChartData, Curve, Look, chart, whole_span
from rltui.tui.widgets.columns import Columns

NO_CHANGE = 1e-12  # of any figure: less is the arithmetic of means
MOST_MARKS = 6


@dataclass(frozen=True, slots=True)
class Scene:
    """What the charts are drawn from. memory: of earlier drawings. focused: the selected chart is shown as such."""

    snapshot: RunSnapshot
    charting: Charting = PLAIN
    style: ChartStyle = "braille"
    other: OtherRun | None = None
    focused: bool = False
    memory: Columns = field(default_factory=Columns, compare=False)

    @property
    def whole(self) -> tuple[float, float]:
        """All timesteps of the run and of the compared one."""
        histories = [self.snapshot.history, *([self.other.history] if self.other else [])]
        curves = [Curve(item.timesteps, item.timesteps, item.length) for item in histories if item.length]
        return whole_span(*curves) if curves else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a chart stands in the pane. index: its place among all that could be shown."""

    index: int
    key: str
    left: int
    top: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Whether the point is in this chart."""
        return self.left <= x < self.left + self.width and self.top <= y < self.top + self.height

    def timesteps(self, x: int, span: tuple[float, float]) -> float:
        """Those at the point; at the plot's nearest end beside it. `x` is of the pane."""
        columns = max(self.width - AXIS, 1)
        share = min(max((x - self.left - AXIS + 0.5) / columns, 0.0), 1.0)
        return span[0] + share * (span[1] - span[0])


def cells(keys: Sequence[str], charting: Charting, size: tuple[int, int], first: int = 0, top: int = 0) -> list[Cell]:
    """The charts in view. size: (columns, rows) of room; first: the first row of charts in view; top: lines above."""
    width, height = size
    if charting.alone:
        at = min(charting.at, len(keys) - 1)
        return [Cell(at, keys[at], 0, top, width, height)] if keys else []
    across, down = grid(width, height, charting)
    across = min(across, max(len(keys), 1))
    down = min(down, max(-(-len(keys) // across), 1))
    widths, heights = shares(width - GAP * (across - 1), across), shares(height, down)
    found = []
    for row in range(down):
        for column in range(across):
            index = (first + row) * across + column
            if index < len(keys):
                left, above = sum(widths[:column]) + GAP * column, sum(heights[:row])
                found.append(Cell(index, keys[index], left, top + above, widths[column], heights[row]))
    return found


def first_row(keys: Sequence[str], charting: Charting, size: tuple[int, int], before: int) -> int:
    """The first row of charts in view, moved as little as it takes to have the selected one in view."""
    across, down = grid(*size, charting)
    rows = -(-len(keys) // across)
    at = min(charting.at, max(len(keys) - 1, 0)) // across
    return min(max(min(before, at), at - down + 1, 0), max(rows - down, 0))


def draw_cells(scene: Scene, found: Sequence[Cell]) -> list[Line]:
    """The charts of `cells`, row by row."""
    lines: list[Line] = []
    tops = sorted({cell.top for cell in found})
    marks = shown_marks(scene.snapshot)
    for top in tops:
        row = [cell for cell in found if cell.top == top]
        blocks = [draw_cell(scene, cell, marks) for cell in row]
        lines += beside(blocks, [cell.width for cell in row], GAP)
    return lines


def draw_cell(scene: Scene, cell: Cell, marks: Sequence[float]) -> list[Line]:
    """One chart."""
    charting = scene.charting
    look = Look(
        span=span_of(charting, scene.whole),
        log=charting.log,
        smoothing=charting.smoothing,
        cursor=charting.cursor,
        guides=charting.guides,
        selected=scene.focused and cell.index == charting.at,
        memory=scene.memory,
    )
    return chart(_data(scene, cell, marks), cell.width, cell.height, scene.style, look)


def shares(total: int, parts: int) -> list[int]:
    """`total` in so many nearly equal whole parts."""
    return [total // parts + (index < total % parts) for index in range(parts)]


def shown_marks(snapshot: RunSnapshot) -> list[int]:
    """Timesteps of the newest resumes and dropped updates, and of so many milestones that they do not hide the curve."""
    milestones = [mark.timesteps for mark in snapshot.marks if mark.kind == "milestone"]
    others = [mark.timesteps for mark in snapshot.marks if mark.kind != "milestone"]
    each = -(-len(milestones) // MOST_MARKS) or 1
    return milestones[each - 1 :: each] + others[-MOST_MARKS:]


def _data(scene: Scene, cell: Cell, marks: Sequence[float]) -> ChartData:
    history = scene.snapshot.history
    metric, health = metric_of(cell.key), health_of(cell.key)
    column = history.columns.get(cell.key, ())
    xs, length = (history.timesteps, history.length) if len(column) else ((), 0)
    return ChartData(
        metric.label,
        metric.unit,
        f"series-{cell.index % 7 + 1}",
        xs,
        column,
        marks,
        length=length,
        other=_other_curve(scene.other, cell.key),
        usual=_usual(health),
        change=_change(scene, cell.key),
        finest=metric.finest,
    )


def _change(scene: Scene, key: str) -> str:
    """Beside one's own newest value; with another run's there is no room."""
    found = change_since(scene.snapshot.history, key) if scene.other is None else None
    if found is None:
        return ""
    if abs(found.value) < NO_CHANGE:
        return f"unchanged in {found.span}"
    return f"{'-' if found.value < 0 else '+'}{formatting.number(abs(found.value))} in {found.span}"


def _usual(health: Health) -> tuple[float | None, float | None]:
    return health.low, health.high


def _other_curve(other: OtherRun | None, key: str) -> Curve | None:
    if other is None:
        return None
    column = other.history.columns.get(key)
    return Curve((), (), 0) if column is None else Curve(other.history.timesteps, column, other.history.length)
