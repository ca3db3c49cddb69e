"""Lines above the charts, the list in which charts are marked, a metric explained."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import replace

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.metric_health import Health, health_words, side_of
from rltui.events.metrics import health_of, metric_of, section_of
from rltui.events.records import CLOCK, ITERATION, reward_of, setting_words
from rltui.formatting import over_episodes, state_name
from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.rewards import differences_line, mean_over_episodes, reward_differences
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.chart_view import (
    Charting,
    ChartScene,
    all_keys,
    chart_keys,
    merged_choice,
    row_at,
    span_of,
    usual_keys,
)
from rltui.tui.text import Line, Span, crop, text_line, wrap
from rltui.tui.widgets.chart import END, LEGEND, OTHER_ROLE, Curve
from rltui.tui.widgets.dialogs import ChooserDialog, Chosen

USUAL_CHARTS = "-"  # the name of the row for the usual charts; no metric is called so
NEAR = 0.02  # of the timesteps shown: a mark so near to the cursor is named
_GAP: Span = ("  ", "")
_SIGNS = {"usual": ("✓", "good"), "low": ("▼", "warn"), "high": ("▲", "warn"), "none": ("", "")}
_GOOD = {"up": "Higher is better.", "down": "Lower is better.", "none": ""}


def head_lines(scene: ChartScene, width: int) -> list[Line]:
    """As many as there is something to say."""
    lines = [looks] if (looks := look_line(scene)) else []
    other = scene.other
    apart = reward_differences(scene.snapshot, other, (scene.snapshot.run, other.name)) if other is not None else []
    differences = differences_line(apart)
    lines += [text_line(f"▲ {differences}", "warn")] if differences else []
    lines += [by_hand] if (by_hand := _by_hand(scene)) else []
    lines += [cursor_line(scene)] if scene.charting.cursor is not None and scene.snapshot.history.length else []
    return [crop(line, width) for line in lines]


def look_line(scene: ChartScene) -> Line:
    """What differs from the plain look of the charts; empty where nothing does."""
    charting = scene.charting
    spans: list[Span] = []
    if scene.other is not None:
        spans += [*_legend(scene), _GAP]
    if charting.window is not None:
        start, end = span_of(charting, scene.whole)
        words = f"{formatting.short(start)}–{formatting.short(end)}" + (
            ", follows the newest" if charting.end is None else ""
        )
        spans += [("zoom ", "muted"), (words, "strong"), _GAP]
    if charting.smoothing:
        spans += [("EMA ", "muted"), (f"{charting.smoothing} iterations", "strong"), (", raw behind", "muted"), _GAP]
    if charting.log:
        spans += [("log axis", "strong"), _GAP]
    if charting.guides:
        spans += [("╌ ", "good"), ("usual range", "muted"), _GAP]
    return tuple(spans[:-1])


def _legend(scene: ChartScene) -> list[Span]:
    other = scene.other
    own, their = LEGEND[scene.style]
    spans: list[Span] = [(f"{own} ", "series-1"), (scene.snapshot.run, "strong"), (f"  {their} ", OTHER_ROLE)]
    if other is None:
        return spans
    spans.append((other.name, "strong"))
    if other.problem:
        spans.append((f" ✗ {other.problem}", "bad"))
    elif other.reading:
        spans.append((" is being read …", "muted"))
    elif not other.history.length:
        spans.append((" has no iteration yet", "warn"))
    return [*spans, *_end(scene.snapshot.run, scene.snapshot.history, other)]


def _by_hand(scene: ChartScene) -> Line:
    """What else than weights is in force by hand in own and compared run: their profiles do not tell it."""
    if scene.other is None:
        return ()
    found = []
    for run, header in ((scene.snapshot.run, scene.snapshot.header), (scene.other.name, scene.other.header)):
        items = header.by_hand.items() if header is not None else ()
        words = [setting_words(*item) for item in items if reward_of(item[0]) is None]
        found += [f"{run} {', '.join(words)}"] if words else []
    return text_line(f"set by hand: {'; '.join(found)}", "warn") if found else ()


def _end(name: str, own: History, other: OtherRun) -> list[Span]:
    """Which of the two ends first, and where."""
    if not own.length or not other.history.length:
        return []
    ends = {name: own.timesteps[own.length - 1], other.name: other.history.timesteps[other.history.length - 1]}
    if len(set(ends.values())) < 2:
        return []
    first = min(ends, key=lambda run: ends[run])
    return [(f"  {END} ", OTHER_ROLE), (f"{first} reaches {formatting.short(ends[first])}: figures there", "muted")]


def cursor_line(scene: ChartScene) -> Line:
    """Timesteps, iteration, time of day, and the marks near the cursor."""
    snapshot, x = scene.snapshot, scene.charting.cursor or 0.0
    history = snapshot.history
    row = row_at(history, x)
    if x > history.timesteps[history.length - 1]:
        return (("│ ", "key"), (f"{x:,.0f}", "strong"), (" timesteps, which this run has not reached", "muted"))
    spans: list[Span] = [("│ ", "key"), (f"{x:,.0f}", "strong"), (" timesteps", "muted")]
    iteration, clock = (_value(history.columns.get(name), row) for name in (ITERATION, CLOCK))
    if iteration is not None:
        spans += [("  iteration ", "muted"), (f"{iteration:,.0f}", "strong")]
    if clock is not None:
        spans += [("  ", ""), (formatting.clock(clock), "strong"), (_day(history, clock), "muted")]
    near = near_marks(snapshot.marks, x, span_of(scene.charting, scene.whole))
    spans += [(f"  ┊ {', '.join(near)}", "warn")] if near else []
    return tuple(spans)


def _day(history: History, clock: float) -> str:
    """Of this time; empty where that is the newest iteration's day."""
    newest = _value(history.columns.get(CLOCK), history.length - 1)
    day = formatting.date(clock)[:10]
    return f" {day}" if newest is None or formatting.date(newest)[:10] != day else ""


def near_marks(marks: Sequence[ChartMark], x: float, span: tuple[float, float], most: int = 3) -> list[str]:
    """Names of the marks nearest to `x`, within a small part of what is shown."""
    reach = (span[1] - span[0]) * NEAR
    found = sorted(
        (abs(mark.timesteps - x), index) for index, mark in enumerate(marks) if abs(mark.timesteps - x) <= reach
    )
    return [_mark_words(marks[index]) for _, index in found[:most]]


def _mark_words(mark: ChartMark) -> str:
    words = {
        "milestone": state_name("milestone", mark.label),
        "dropped": f"update dropped: {mark.label}",
        "task": f"goes on to {mark.label}",
    }
    return words.get(mark.kind, mark.label)


def _value(column: Sequence[float] | None, row: int) -> float | None:
    return column[row] if column is not None and row < len(column) and formatting.known(column[row]) else None


def chart_chooser(marked: set[str], history: History) -> ChooserDialog:
    """All metrics of the run, and a row for the usual ones; marked: those that are charted."""
    choices = [
        Chosen(key, section_of(key), label=metric_of(key).label, note=key if key != metric_of(key).label else "")
        for key in all_keys(history)
    ]
    usual = Chosen(USUAL_CHARTS, label="the usual charts")
    keys = "space marks · enter shows them · esc cancels"
    return ChooserDialog("Which charts?", [usual, *choices], current=choices[0].name, marked=marked, keys=keys)


def charted(charting: Charting, history: History) -> set[str]:
    """The keys of the charts, without a filter."""
    return set(charting.keys if charting.keys is not None else usual_keys(history))


def with_marked(marked: Set[str], charting: Charting, history: History) -> Charting:
    """None marked, or just the usual ones: the usual set, which grows with what the run tells.

    What was charted and still is keeps its place among the others, and the attention.
    """
    listed = [key for key in all_keys(history) if key in marked]
    before, usual = chart_keys(charting, history), set(usual_keys(history)) & set(all_keys(history))
    own = merged_choice(charting, history, marked, listed) if listed and set(listed) != usual else None
    changed = replace(charting, keys=own)
    now, here = chart_keys(changed, history), before[charting.at] if charting.at < len(before) else ""
    return replace(changed, at=now.index(here) if here in now else 0)


def help_lines(snapshot: RunSnapshot, key: str, x: float | None, width: int) -> list[Line]:
    """x: timesteps at which the value is read, None for the newest."""
    metric, health = metric_of(key), health_of(key)
    value, when = _metric_value(snapshot, key, x)
    lines: list[Line] = [((metric.label, "title"), (f"  {key}", "faint"))]
    figure = formatting.number(value, metric.finest) + (
        f" {metric.unit}" if metric.unit and formatting.known(value) else ""
    )
    lines.append(((figure, "strong"), (f" {when}", "muted")))
    sign, role = _SIGNS[side_of(health, value)]
    words = health_words(health, value)
    if words:
        lines += wrap(f"{sign} {words}.", width, role)
    for extra in _beside(snapshot, key, value):
        lines += wrap(extra, width, "muted")
    sections = [
        ("Meaning", f"{metric.help} {_GOOD[metric.good]}".strip()),
        ("Healthy", health.healthy),
        ("To try", to_try(health)),
    ]
    for title, text in sections:
        if text:
            lines += [(), ((title, "strong"),), *wrap(text, width)]
    return lines


def to_try(health: Health) -> str:
    """What moves the figure, and what to do at either end of its range."""
    ends = [f"{side}: {text}." for side, text in (("Too low", health.if_low), ("Too high", health.if_high)) if text]
    return " ".join([*ends, *([health.advice] if health.advice else [])])


def _metric_value(snapshot: RunSnapshot, key: str, x: float | None) -> tuple[float | None, str]:
    """The value and where it comes from, in words."""
    history = snapshot.history
    column = history.columns.get(key)
    if column is None:
        return None, "not in this run's journal yet"
    item = Curve(history.timesteps, column, history.length)
    if x is not None:
        return item.at(x), "at the cursor"
    if (found := mean_over_episodes(snapshot, key)) is not None:
        mean, reward = found
        return mean, over_episodes(reward.episodes, reward.short).strip()
    value, back = item.newest()
    return value, "now" if not back else f"{formatting.plural(back, 'iteration')} ago"


def _beside(snapshot: RunSnapshot, key: str, value: float | None) -> list[str]:
    """What this run's header adds to a figure."""
    header = snapshot.header
    if header is None or value is None or not math.isfinite(value):
        return []
    if key == metric_keys.ENTROPY and header.actions > 1:
        most = math.log(header.actions)
        return [
            f"{formatting.percent(value / most)} of the {most:.2f} that {header.actions} actions allow without masks."
        ]
    if key == metric_keys.LEARNING_RATE:
        return [f"The run's header says {header.learning_rate:g}."]
    return []
