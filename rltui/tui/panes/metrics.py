"""The metrics as charts over timesteps: as many as the room holds, the most telling first."""

from __future__ import annotations

from rltui.events.metrics import BY_KEY, Metric
from rltui.tui.model import RunSnapshot
from rltui.tui.paint import Line, beside
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.chart import ChartData, chart

CORE = (
    "rollout/policy_reward",
    "train/entropy",
    "train/approx_kl",
    "train/value_loss",
    "train/explained_variance",
    "time/overall_steps_per_second",
)
MORE = (
    "train/clip_fraction",
    "rollout/touches_per_minute",
    "rollout/episode_seconds",
    "rollout/goals_per_minute",
    "train/policy_grad_norm",
    "rollout/airborne",
    "rollout/boost",
    "train/critic_grad_norm",
    "train/policy_update",
    "train/return_std",
)
MOST_MARKS = 6
LEAST_WIDTH, GOOD_HEIGHT, LEAST_HEIGHT, GAP = 25, 8, 5, 2


class MetricsPane(Pane):
    """A grid of charts with one time axis."""

    NUMBER = "1"
    SLOT = "charts"
    NAME = "Metrics"
    SHORT = "Metrics"
    EVERY = 2.9
    EMPTY = (
        "Here will be charts of reward, entropy, KL, losses and speed over the timesteps of the run. "
        "The first point comes with the first finished iteration."
    )
    HELP = (
        "Charts over timesteps; a gap is an iteration without that figure, a dotted line a milestone or a resume. Where many "
        "iterations share a column, the line is their mean and the grey band behind it reaches from the lowest to the highest."
    )

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.history.length

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.history.length, view.snapshot.marks, view.charts

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        across, down = grid(width, height)
        keys = chosen(view.snapshot, across * down)
        down = min(down, -(-len(keys) // across))
        widths = _shares(width - GAP * (across - 1), across)
        heights = _shares(height, down)
        lines: list[Line] = []
        for row, rows in enumerate(heights):
            blocks = [
                chart(_data(view.snapshot, BY_KEY[key], row * across + column), widths[column], rows, view.charts)
                for column, key in enumerate(keys[row * across : (row + 1) * across])
            ]
            lines += beside(blocks, widths[: len(blocks)], GAP)
        return lines

    def explained(self) -> list[tuple[str, str]]:
        keys = chosen(self.view.snapshot, len(CORE) + len(MORE)) if self.view else CORE
        return [("", self.HELP), *((_named(BY_KEY[key]), BY_KEY[key].help) for key in keys if BY_KEY[key].help)]

    def subtitle(self, view: View) -> str:
        last = view.snapshot.history.length
        return f"[$muted]{last:,} iterations[/]" if last else ""


def grid(width: int, height: int) -> tuple[int, int]:
    """(columns, rows) of charts: tall ones if there is room for all of the core, else lower ones."""
    across = min(max((width + GAP) // (LEAST_WIDTH + GAP), 1), 4)
    down = max(height // GOOD_HEIGHT, 1)
    if across * down < len(CORE):
        down = min(max(height // LEAST_HEIGHT, 1), -(-len(CORE) // across))
    return across, down


def chosen(snapshot: RunSnapshot, room: int) -> list[str]:
    """The keys to draw: the core always, then those of the others that the run has."""
    more = [key for key in MORE if key in snapshot.history.columns]
    return [*CORE, *more][:room]


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (index < total % parts) for index in range(parts)]


def _data(snapshot: RunSnapshot, metric: Metric, index: int) -> ChartData:
    xs, ys = snapshot.history.series(metric.key)
    marks = shown_marks(snapshot)
    return ChartData(metric.label, metric.unit, f"series-{index % 7 + 1}", xs, ys, marks)


def shown_marks(snapshot: RunSnapshot) -> list[int]:
    """Timesteps of the newest resumes and dropped updates, and of so many milestones that they do not hide the curve."""
    milestones = [mark.timesteps for mark in snapshot.marks if mark.kind == "milestone"]
    others = [mark.timesteps for mark in snapshot.marks if mark.kind != "milestone"]
    each = -(-len(milestones) // MOST_MARKS) or 1
    return milestones[each - 1 :: each] + others[-MOST_MARKS:]


def _named(metric: Metric) -> str:
    return f"{metric.label} ({metric.unit})" if metric.unit else metric.label
