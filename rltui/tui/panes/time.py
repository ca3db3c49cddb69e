"""Pane on where an iteration's time goes, as shares that sum to one, and what to change about the largest.

The trainer's seconds (collect, update, save) make up the iteration with a rest of reports and messages; of an update that
overlaps collecting, what outlasts it. Collecting is what the workers do, in microseconds per arena-step, and what the
trainer waits for beside: their start, and the slowest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.metric_health import PART_ADVICE, PART_LABELS, UPDATE_ON_GPU
from rltui.run_state.progress import WORKER_SECONDS, change_since, iteration_times
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, Span, ends, pad, text_line, width_of, wrap
from rltui.tui.widgets.bars import filled_bar, sparkline_of
from rltui.tui.widgets.plot import DecimationCache

WORKER_PARTS = ("simulate", "state", "controls", "infer", "observe", "reward", "reset", "other")
TRAINER_SECONDS = (  # of the whole iteration first, then of its three parts
    metric_keys.ITERATION_SECONDS,
    metric_keys.COLLECT_SECONDS,
    metric_keys.UPDATE_SECONDS,
    metric_keys.SAVE_SECONDS,
)
FOLDED = "the rest"
RATES = (("collected", metric_keys.COLLECTED_SPEED), ("consumed", metric_keys.CONSUMED_SPEED), ("overall", metric_keys.OVERALL_SPEED))  # fmt: skip
NAME, SHARE, FIGURE, CURVE = 11, 8, 8, 16  # columns
WIDE = 64  # columns from which on each part has its trend
Trend = Callable[[str], str]  # a metric's, in CURVE columns


@dataclass(frozen=True, slots=True)
class TimePart:
    """share: of the iteration, 0–1; all known ones sum to 1. micros: of an arena-step. seconds: of the iteration.

    key: the metric whose history is its trend; empty where it is worked out from others.
    """

    name: str
    share: float | None
    micros: float | None = None
    seconds: float | None = None
    key: str = ""


def parts(snapshot: RunSnapshot) -> list[TimePart]:
    """update, the workers' parts in their order, wait, save, the rest, over the newest iterations; unknown shares are None."""
    metrics = iteration_times(snapshot).metrics
    whole, collect, learn, save = (formatting.if_known(metrics.get(key)) for key in TRAINER_SECONDS)
    if whole is not None and learn is not None:
        learn = max(0.0, min(learn, whole - (collect or 0.0) - (save or 0.0)))
    found = [TimePart("update", None, seconds=learn, key=metric_keys.UPDATE_SECONDS)]
    found += _collecting(metrics, collect)
    found.append(TimePart("save", None, seconds=save, key=metric_keys.SAVE_SECONDS))
    if whole is None:
        return found
    known = sum(value for value in (collect, learn, save) if value is not None)
    rest = whole - known
    if rest > 0.002 * whole and collect is not None:
        found.append(TimePart(FOLDED, None, seconds=rest))
    size = max(whole, known)  # whatever a journal says, they are shares of what there is
    return [replace(part, share=part.seconds / size if part.seconds is not None and size else None) for part in found]


def _collecting(metrics: Mapping[str, float | None], collect: float | None) -> list[TimePart]:
    """The workers' parts share the seconds of collecting that they worked; what is left of it is waiting."""
    micros = {name: formatting.if_known(metrics[f"time/{name}"]) for name in WORKER_PARTS if f"time/{name}" in metrics}
    total = sum(value for value in micros.values() if value is not None)
    worked = worked_seconds(metrics, collect)
    each = worked / total if worked is not None and total else None
    found = [
        TimePart(
            PART_LABELS.get(name, name),
            None,
            value,
            value * each if value is not None and each is not None else None,
            f"time/{name}",
        )
        for name, value in micros.items()
    ]
    if collect is not None and worked is not None and collect - worked > 0.002 * collect:
        found.append(TimePart("wait", None, seconds=collect - worked))
    return found


def worked_seconds(metrics: Mapping[str, float | None], collect: float | None) -> float | None:
    """Of collecting, what the workers worked on average; all of it where their own times are unknown."""
    worked = [formatting.if_known(value) for key, value in metrics.items() if WORKER_SECONDS.fullmatch(key)]
    seconds = [value for value in worked if value is not None]
    if collect is None or not seconds:
        return collect
    return min(sum(seconds) / len(seconds), collect)


def share_of_limit(snapshot: RunSnapshot) -> float | None:
    """Collecting as a share of what bare stepping of the simulator reaches on these cores: the time spent in it alone."""
    found = parts(snapshot)
    collecting = [part for part in found if part.micros is not None or part.name == "wait"]
    whole = sum([part.seconds for part in collecting if part.seconds is not None])
    simulate = next((part.seconds for part in collecting if part.name == "simulate"), None)
    return simulate / whole if simulate is not None and whole else None


def bottleneck(found: Sequence[TimePart]) -> TimePart | None:
    """The part with the largest known share."""
    known = [part for part in found if part.share is not None]
    return max(known, key=lambda part: part.share or 0.0, default=None)


def advice(top: TimePart, share: str, device: str) -> str:
    """`update takes 53 %; …`. share: the part's, in words. device: the learner's."""
    words = UPDATE_ON_GPU if top.name == "update" and device.startswith("cuda") else PART_ADVICE.get(top.name, "")
    return f"Bottleneck: {top.name} takes {share}" + (f"; {words}." if words else ".")


def folded(found: Sequence[TimePart], room: int) -> list[TimePart]:
    """At most `room` parts: the smallest ones become one, so that the shares still sum to 1."""
    if len(found) <= room or room < 2:
        return list(found)
    known = sorted((part for part in found if part.name != FOLDED), key=lambda part: part.share or 0.0, reverse=True)
    shown = {part.name for part in known[: room - 1]}
    lost = [part for part in found if part.name not in shown]
    share, seconds = (
        sum(value for part in lost if (value := getattr(part, name)) is not None) for name in ("share", "seconds")
    )
    return [*(part for part in found if part.name in shown), TimePart(FOLDED, share, seconds=seconds)]


def percents(found: Sequence[TimePart]) -> list[str]:
    """The shares as whole percent that sum to 100 as they do to 1: what rounding loses goes to the largest remainders."""
    exact = [0.0 if part.share is None else part.share * 100 for part in found]
    whole = [int(value) for value in exact]
    missing = round(sum(exact)) - sum(whole)
    for index in sorted(range(len(exact)), key=lambda index: whole[index] - exact[index])[:missing]:
        whole[index] += 1
    return [_percent(part.share, number) for part, number in zip(found, whole, strict=True)]


def _percent(share: float | None, number: int) -> str:
    if share is None:
        return formatting.UNKNOWN
    return "<1 %" if number == 0 and share > 0 else f"{number} %"


class TimePane(Pane):
    """One bar for each part, in a fixed order."""

    NUMBER = "3"
    SLOT = "time"
    NAME = "Where the time goes"
    SHORT = "Time"
    EVERY = 2.9
    EMPTY = "How an iteration's time is spent appears after the first one."
    HELP = (
        "Over the newest 20 iterations of this start. Percentages are of a whole iteration and sum to 100. update and save "
        "are the trainer's; wait is the trainer waiting, mostly for the slowest worker; the rest is what workers do while "
        "collecting, in µs per step of one arena. Of the limit: collecting against stepping the bare simulator on the same "
        "cores. The largest part is the bottleneck: making anything else faster gains little. Steps a second: collected "
        "while collecting, consumed while updating, overall of whole iterations."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._memory = DecimationCache()

    def has_nothing(self, view: View) -> bool:
        return not formatting.known(view.snapshot.metrics.get(metric_keys.ITERATION_SECONDS))

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.header is None, view.snapshot.opened

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        found = parts(view.snapshot)
        top = bottleneck(found)
        device = view.snapshot.header.device if view.snapshot.header else ""
        foot = wrap(advice(top, _share(found, top), device), width, "muted") if top is not None else []
        trend = partial(sparkline_of, view.snapshot.history, width=CURVE, memory=self._memory)
        head = _head(view.snapshot, trend, width)
        spare = height - len(found)
        head = head[: max(min(len(head), spare - (len(foot) + 1)), min(len(head), 1) if spare > 1 else 0)]
        head += [text_line("─" * width, "track")] if spare - len(head) - len(foot) - 1 > 0 and head else []
        foot = foot if height - len(head) - len(foot) - 1 >= min(len(found), 3) else []
        room = height - len(head) - (len(foot) + 1 if foot else 0)
        shown = folded(found, max(room, 1))
        figures = [_figure(part) for part in shown]
        room_for = max([FIGURE, *(len(figure) + 1 for figure in figures)])
        lines = [
            _line(trend, part, (text, figure), part.name == (top.name if top else ""), (width, room_for))
            for part, text, figure in zip(shown, percents(shown), figures, strict=True)
        ]
        return [*head, *lines[: max(room, 1)], *([(), *foot] if foot else [])][:height]


def _share(found: list[TimePart], part: TimePart) -> str:
    """As the part's own line has it."""
    return percents(found)[found.index(part)]


def _head(snapshot: RunSnapshot, trend: Trend, width: int) -> list[Line]:
    """The iteration's seconds and how near to the limit, then the steps a second, with their trend where there is room."""
    times = iteration_times(snapshot)
    metrics = times.metrics
    left: Line = (("iteration ", "muted"), (formatting.duration(metrics.get(metric_keys.ITERATION_SECONDS)), "strong"))
    over: Line = ((f" over {times.iterations} it." if times.iterations else " before this start", "muted"),)
    limit = share_of_limit(snapshot)
    words = "collecting at " if width >= WIDE else ""
    limited: Line = ((words, "muted"), (formatting.percent(limit), "strong"), (" of bare RocketSim", "muted"))
    right = limited if limit is not None else ()
    left = (*left, *over) if width_of((*left, *over)) + width_of(right) + 2 <= width else left
    right = right if width_of(left) + width_of(right) + 2 <= width else ()
    lines = [ends(left, right, width)]
    if width >= WIDE:
        return [*lines, *(_rate(snapshot, name, key, trend(key), metrics.get(key)) for name, key in RATES)]
    cells = [((f"{name} ", "muted"), (formatting.rate(metrics.get(key)), "strong")) for name, key in RATES]
    while cells and sum(width_of(cell) for cell in cells) + 2 * (len(cells) - 1) > width:
        cells.pop(0)
    gaps = (width - sum(width_of(cell) for cell in cells)) // max(len(cells) - 1, 1)
    spans: list[Span] = []
    for index, cell in enumerate(cells):
        spans += [(" " * min(gaps, 4), "")] if index else []
        spans += cell
    return [*lines, tuple(spans)] if spans else lines


def _rate(snapshot: RunSnapshot, name: str, key: str, curve: str, now: float | None) -> Line:
    """key: of the metric; now: its figure."""
    found = change_since(snapshot, key)
    percent = f"{found.by / found.before * 100:+.1f} % in {found.span} it." if found and found.before else ""
    return (
        (pad(name, NAME), "muted"),
        (f"{formatting.rate(now):>12}", "strong"),
        ("  " + curve, "band"),
        (f"  {percent}", "muted"),
    )


def _figure(part: TimePart) -> str:
    return formatting.micros(part.micros) if part.micros is not None else formatting.duration(part.seconds)


def _line(trend: Trend, part: TimePart, words: tuple[str, str], is_top: bool, room: tuple[int, int]) -> Line:
    """words: the part's share and its figure. room: columns of the line, and of its figure."""
    (percent, figure), (width, room_for) = words, room
    curve = CURVE + 2 if width >= WIDE else 0
    bar = max(width - NAME - SHARE - room_for - curve, 3)
    role = "series-2" if is_top else "series-1"
    row = trend(part.key) if curve and part.key else " " * CURVE
    return (
        (pad(part.name, NAME), "strong" if is_top else ""),
        *filled_bar(part.share or 0.0, bar, role),
        (pad(percent, SHARE, ">"), "strong" if is_top else ""),
        (pad(figure, room_for, ">"), "muted"),
        *((("  " + row, "band"),) if curve else ()),
    )
