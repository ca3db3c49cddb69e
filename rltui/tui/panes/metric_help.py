"""A metric explained beside its chart: meaning, what is usual, its present value judged, what to try. Pure."""

from __future__ import annotations

import math

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.metric_health import Health, judged, side_of
from rltui.events.metrics import health_of, metric_of
from rltui.tui.paint import Line, wrap
from rltui.tui.run.model import RunSnapshot
from rltui.tui.widgets.chart import Curve

_SIGNS = {"usual": ("✓", "good"), "low": ("▼", "warn"), "high": ("▲", "warn"), "none": ("", "")}
_GOOD = {"up": "Higher is better.", "down": "Lower is better.", "none": ""}


def help_lines(snapshot: RunSnapshot, key: str, x: float | None, width: int) -> list[Line]:
    """x: timesteps at which the value is read, None for the newest."""
    metric, health = metric_of(key), health_of(key)
    value, when = _value(snapshot, key, x)
    lines: list[Line] = [((metric.label, "title"), (f"  {key}", "faint"))]
    figure = formatting.number(value, metric.finest) + (
        f" {metric.unit}" if metric.unit and formatting.known(value) else ""
    )
    lines.append(((figure, "strong"), (f" {when}", "muted")))
    sign, role = _SIGNS[side_of(health, value)]
    words = judged(health, value)
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


def _value(snapshot: RunSnapshot, key: str, x: float | None) -> tuple[float | None, str]:
    """The value and where it comes from, in words."""
    history = snapshot.history
    column = history.columns.get(key)
    if column is None:
        return None, "not in this run's journal yet"
    item = Curve(history.timesteps, column, history.length)
    if x is not None:
        return item.at(x), "at the cursor"
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
