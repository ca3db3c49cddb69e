"""How charts are looked at (choice, zoom, cursor) and where each stands: pure functions from Charting to lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.episode_reward import REWARD
from rltui.events.metrics import health_of, in_order, metric_of
from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.progress import change_since
from rltui.run_state.rewards import mean_over_episodes
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.ascii import ChartStyle
from rltui.tui.settings import SMOOTHING
from rltui.tui.text import Line, beside
from rltui.tui.widgets.chart import AXIS, ChartData, Curve, Look, chart, whole_span
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.plot import DecimationCache

CORE = (
    REWARD,
    metric_keys.ENTROPY,
    metric_keys.APPROX_KL,
    metric_keys.VALUE_LOSS,
    metric_keys.EXPLAINED_VARIANCE,
    metric_keys.OVERALL_SPEED,
)
MORE = (
    metric_keys.ELO,
    metric_keys.CLIP_FRACTION,
    metric_keys.TOUCHES_PER_MINUTE,
    metric_keys.EPISODE_SECONDS,
    metric_keys.GOALS_PER_MINUTE,
    metric_keys.POLICY_GRAD_NORM,
    metric_keys.AIRBORNE,
    metric_keys.BOOST_HELD,
    metric_keys.CRITIC_GRAD_NORM,
    metric_keys.POLICY_UPDATE,
    metric_keys.RETURN_STD,
)
LEAST_WIDTH, GOOD_HEIGHT, LEAST_HEIGHT, GAP = 25, 8, 5, 2
MOST_ACROSS, MOST_DOWN = 6, 8
FEWEST_ROWS = 4  # iterations that a zoomed chart holds at least
NO_CHANGE = 1e-12  # of any figure: less is the arithmetic of means
MOST_MARKS = 6


@dataclass(frozen=True, slots=True)
class Charting:
    """How the charts are looked at. keys: chosen ones, None for the usual set. across, down: charts in a row and in a column,
    None for what fits.

    window: timesteps shown, None for all; end: the last of them, None for the newest. at: the selected chart's place.
    """

    keys: tuple[str, ...] | None = None
    pattern: Pattern = field(default_factory=Pattern)
    across: int | None = None
    down: int | None = None
    window: float | None = None
    end: float | None = None
    log: bool = False
    smoothing: int = 0
    cursor: float | None = None
    guides: bool = False
    at: int = 0
    alone: bool = False  # the selected chart fills the pane
    explained: bool = False


PLAIN = Charting()


def all_keys(history: History) -> list[str]:
    """Every metric of the history, in the order of lists."""
    return in_order([key for key in history.columns if "/" in key])


def usual_keys(history: History) -> list[str]:
    """The core always, then those of the others that the run has."""
    return [*CORE, *(key for key in MORE if key in history.columns)]


def chart_keys(charting: Charting, history: History) -> list[str]:
    """The keys of the charts in order: while a filter is on, all metrics that it finds; else the chosen ones."""
    if charting.pattern.text:
        return matching_keys(charting.pattern, all_keys(history))
    return list(charting.keys) if charting.keys is not None else usual_keys(history)


def merged_choice(charting: Charting, history: History, marked: Set[str], listed: Sequence[str]) -> tuple[str, ...]:
    """The charts once these are marked: those that were shown in their order, then the others as they are listed."""
    before = charting.keys if charting.keys is not None else usual_keys(history)
    return (*(key for key in before if key in marked), *(key for key in listed if key not in before))


def matching_keys(pattern: Pattern, keys: Sequence[str]) -> list[str]:
    """Those whose key or label the pattern matches."""
    return [key for key in keys if pattern.matches(key, metric_of(key).label)]


def grid(width: int, height: int, charting: Charting = PLAIN) -> tuple[int, int]:
    """(columns, rows) of charts: as asked for, else tall ones if there is room for all of the core, else lower ones."""
    fits = max((width + GAP) // (LEAST_WIDTH + GAP), 1)
    across = min(charting.across or min(fits, 4), max((width + GAP) // (12 + GAP), 1))
    if charting.down is not None:
        return across, min(charting.down, max(height // 3, 1))
    down = max(height // GOOD_HEIGHT, 1)
    if across * down < len(CORE):
        down = min(max(height // LEAST_HEIGHT, 1), -(-len(CORE) // across))
    return across, down


def next_count(now: int | None, most: int) -> int | None:
    """What `o` and `r` go through: as many as fit, then 1, 2 …"""
    return 1 if now is None else now + 1 if now < most else None


def next_smoothing(now: int) -> int:
    """The next span of the moving average, in iterations; 0 is none."""
    return SMOOTHING[(SMOOTHING.index(now) + 1) % len(SMOOTHING)] if now in SMOOTHING else 0


def span_of(charting: Charting, whole: tuple[float, float]) -> tuple[float, float]:
    """The timesteps shown. whole: all that there are."""
    if charting.window is None:
        return whole
    end = whole[1] if charting.end is None else charting.end
    return max(end - charting.window, whole[0]), end


def zoomed(charting: Charting, history: History, whole: tuple[float, float], factor: float) -> Charting:
    """factor: of the timesteps shown; below 1 looks closer. Around the cursor where there is one, else up to the end."""
    start, end = span_of(charting, whole)
    width = (end - start) * factor
    least = (whole[1] - whole[0]) / max(history.length, 1) * FEWEST_ROWS
    if width >= whole[1] - whole[0]:
        return replace(charting, window=None, end=None)
    width = max(width, min(least, end - start))
    middle = charting.cursor
    if middle is None or not start <= middle <= end:
        return replace(charting, window=width)
    share = (middle - start) / (end - start) if end > start else 1.0
    return _placed(replace(charting, window=width), middle + width * (1 - share), whole)


def with_cursor(charting: Charting, x: float, whole: tuple[float, float]) -> Charting:
    """The cursor at `x`; what is shown moves along so that it stays in view."""
    moved = replace(charting, cursor=x)
    start, end = span_of(charting, whole)
    if charting.window is None or start <= x <= end:
        return moved
    return _placed(moved, x if x > end else x + charting.window, whole)


def moved_cursor(
    charting: Charting, history: History, whole: tuple[float, float], steps: int, columns: int
) -> Charting:
    """The cursor so many columns of a chart to the right, each one iteration at least; without one it comes up at the newest."""
    if not history.length:
        return charting
    span = span_of(charting, whole)
    if charting.cursor is None:
        return with_cursor(charting, min(span[1], history.timesteps[history.length - 1]), whole)
    first = bisect_left(history.timesteps, span[0], 0, history.length)
    shown = bisect_right(history.timesteps, span[1], 0, history.length) - first
    row = row_at(history, charting.cursor) + steps * max(round(shown / max(columns, 1)), 1)
    return with_cursor(charting, history.timesteps[min(max(row, 0), history.length - 1)], whole)


def row_at(history: History, x: float) -> int:
    """The newest row not above `x`; the first where there is none."""
    return max(bisect_right(history.timesteps, x, 0, history.length) - 1, 0)


def _placed(charting: Charting, end: float, whole: tuple[float, float]) -> Charting:
    """What is shown ends at `end`, within the run; at the run's end it follows the newest."""
    window = charting.window or whole[1] - whole[0]
    end = max(end, whole[0] + window)
    return replace(charting, end=None if end >= whole[1] else end)


@dataclass(frozen=True, slots=True)
class ChartScene:
    """What the charts are drawn from. memory: of earlier drawings. focused: the selected chart is shown as such."""

    snapshot: RunSnapshot
    charting: Charting = PLAIN
    style: ChartStyle = "braille"
    other: OtherRun | None = None
    focused: bool = False
    memory: DecimationCache = field(default_factory=DecimationCache, compare=False)

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


def draw_cells(scene: ChartScene, found: Sequence[Cell]) -> list[Line]:
    """The charts of `cells`, row by row."""
    lines: list[Line] = []
    tops = sorted({cell.top for cell in found})
    marks = shown_marks(scene.snapshot)
    for top in tops:
        row = [cell for cell in found if cell.top == top]
        blocks = [draw_cell(scene, cell, marks) for cell in row]
        lines += beside(blocks, [cell.width for cell in row], GAP)
    return lines


def draw_cell(scene: ChartScene, cell: Cell, marks: Sequence[float]) -> list[Line]:
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


def _data(scene: ChartScene, cell: Cell, marks: Sequence[float]) -> ChartData:
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
        usual=(health.low, health.high),
        change=_change(scene, cell.key),
        finest=metric.finest,
        figures=_of_episodes(scene, cell.key),
    )


def _of_episodes(scene: ChartScene, key: str) -> tuple[float, None] | None:
    """In the place of the newest iteration's, as the rewards pane has it; not beside another run, which ends elsewhere."""
    found = mean_over_episodes(scene.snapshot, key) if scene.other is None else None
    return (found[0], None) if found is not None else None


def _change(scene: ChartScene, key: str) -> str:
    """Beside one's own newest value; with another run's there is no room."""
    found = change_since(scene.snapshot, key) if scene.other is None else None
    if found is None:
        return ""
    if abs(found.by) < NO_CHANGE:
        return f"unchanged in {found.span} it."
    return f"{'-' if found.by < 0 else '+'}{formatting.number(abs(found.by))} in {found.span} it."


def _other_curve(other: OtherRun | None, key: str) -> Curve | None:
    if other is None:
        return None
    column = other.history.columns.get(key)
    return Curve((), (), 0) if column is None else Curve(other.history.timesteps, column, other.history.length)
