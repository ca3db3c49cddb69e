"""Checks of a profile, the doctor's and its own, as lines; what a trainer of it is expected to do here."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rltui import formatting
from rltui.runs.summary import RunShape, RunSummary
from rltui.tui.checks.doctor import SPEED, Measured, Preflight, PreflightCheck
from rltui.tui.checks.results import ProfileSummary
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.plan import Plan
from rltui.tui.text import Line, fit, text_line, wrap

OLD = 60.0  # seconds
BUSY = 30  # percent of the processor
ROUNDING = 1.1  # a batch grows as the iteration is rounded up to whole steps of all arenas
COLUMN = 22  # columns for the name of a check
STATES = {
    "waiting": ("○", "idle"),
    "running": ("◌", "busy"),
    "pass": ("✓", "good"),
    "warn": ("!", "warn"),
    "fail": ("✗", "bad"),
}
# What launching does where a check has failed.
CONSEQUENCES: Mapping[str, str] = {
    "profile": "launching is refused",
    "action table": "launching asks first",
    "rewards": "launching asks first",
    "memory": "the system may end the trainer",
    "disk": "what cannot be saved is said, and training goes on",
    "visualiser": "training goes on without it",
    "resets": "training stops when such an episode begins",
}
STOPS = "launching stops, before anything is written"


def with_symbols(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    """(symbol, text, role) each, wrapped behind the symbol; what is good is said in the plain colour."""
    lines: list[Line] = []
    for symbol, text, role in rows:
        wrapped = wrap(text, width - 4, "" if role == "good" else role)
        lines += [((f"  {symbol if not index else ' '} ", role), *row) for index, row in enumerate(wrapped)]
    return lines


@dataclass(frozen=True)
class Estimate:
    """steps_per_second: overall. basis: in words."""

    steps_per_second: float
    basis: str


@dataclass(frozen=True, slots=True)
class PlanContext:
    """now: Unix seconds. plan: None while it is being worked out. estimate: of the speed."""

    now: float
    plan: Plan | None = None
    preflight: Preflight | None = None
    estimate: Estimate | None = None


def check_lines(entry: ProfileEntry, context: PlanContext, width: int) -> list[Line]:
    """The profile's own check, the doctor's as they come, then what is expected."""
    check, preflight = entry.check, context.preflight
    rows: list[tuple[str, str, str]] = []
    if check is None:
        rows.append(("◌", "the profile is being checked", "muted"))
    elif preflight is None:
        rows.append(("✓", "profile valid", "good") if check.valid else ("✗", "profile not valid", "bad"))
    rows += [("!", text, "warn") for text in (check.warnings if check else ())]
    lines: list[Line] = [text_line("Preflight", "title"), *with_symbols(rows, width)]
    lines += _preflight(preflight, context.now, width) if preflight else []
    return [*lines, *_expected(entry.summary, context, width)]


def tally(preflight: Preflight | None) -> str:
    """For the border: it is in view also where the list is not."""
    if preflight is None or (preflight.done and preflight.problem):
        return ""
    if progress := _progress(preflight):
        return progress
    if preflight.measuring:
        return "measuring the speed"
    return f"✗ {len(preflight.failed)} failed" if preflight.failed else "✓ ready to launch"


def _progress(preflight: Preflight) -> str:
    """Empty where all but the speed is known."""
    total = sum(check.name != SPEED for check in preflight.checks)
    left = len(set(preflight.left) - {SPEED})
    return f"{total - left} of {total} checked" if left else ""


def _preflight(preflight: Preflight, now: float, width: int) -> list[Line]:
    """Failed ones with all words, the names of the others in columns; memory, disk and ports change, so their age."""
    checks = [check for check in preflight.checks if check.name != SPEED]
    lines = [line for check in checks if check.state in ("fail", "warn") for line in _full(check, width)]
    names = [_name(check) for check in checks if check.state not in ("fail", "warn")]
    columns = max(width // COLUMN, 1)
    lines += [
        tuple(span for name in names[at : at + columns] for span in fit(name, COLUMN))
        for at in range(0, len(names), columns)
    ]
    lines += with_symbols([("!", preflight.problem, "warn")], width) if preflight.problem else []
    if preflight.ended is not None and now - preflight.ended >= OLD:
        lines.append(text_line(f"  {formatting.ago(now - preflight.ended)}, r checks again", "muted"))
    return lines


def _full(check: PreflightCheck, width: int) -> list[Line]:
    symbol, role = STATES[check.state]
    lines = with_symbols([(symbol, f"{check.name}: {check.sentence}", role)], width)
    if check.state == "fail":
        lines += [(("      ", ""), *row) for row in wrap(CONSEQUENCES.get(check.name, STOPS), width - 6, "strong")]
    if check.advice:
        lines += [(("      ", ""), *row) for row in wrap(check.advice, width - 6, "muted")]
    return lines


def _name(check: PreflightCheck) -> Line:
    symbol, role = STATES[check.state]
    return ((f"  {symbol} ", role), (check.name, "" if check.state == "pass" else "muted"))


def _expected(summary: ProfileSummary | None, context: PlanContext, width: int) -> list[Line]:
    """Speed, memory and how often there is a milestone; how that is known."""
    if summary is None:
        return []
    found = context.estimate
    parts = [f"about {rounded(found.steps_per_second):,} steps/s"] if found is not None else []
    parts += [f"{formatting.megabytes(summary.memory_mb)} of memory"] if summary.memory_mb is not None else []
    if found is not None and summary.milestone_interval:
        parts.append(f"a milestone every {formatting.remaining(summary.milestone_interval / found.steps_per_second)}")
    lines = wrap(f"Expected here: {', '.join(parts)}", width, "strong") if parts else []
    if context.preflight is not None and context.preflight.measuring:
        what = _progress(context.preflight) or "it trains for a few seconds"
        since = formatting.remaining(max(context.now - context.preflight.begun, 0.0))
        return [(), *lines, *wrap(f"◌ measuring the speed, for {since}: {what}", width, "busy")]
    how = wrap(found.basis, width, "muted") if found is not None else [(("d", "key"), (" measures the speed", "muted"))]
    return [(), *lines, *how]


def estimate(
    summary: ProfileSummary, runs: Sequence[RunSummary], measured: Measured | None, now: float
) -> Estimate | None:
    """By what is newer: a measurement, or a run here with the same nets, games and batches. None without either."""
    alike = [run for run in runs if run.shape and run.speed and _same_shape(summary, run.shape)]
    run = max(alike, key=lambda run: run.recency, default=None)
    if run is not None and run.speed is not None and (measured is None or (run.updated or 0.0) >= measured.time):
        when = "now" if run.state == "training" else formatting.ago(now - run.updated) if run.updated else "before"
        mean = f"mean of {run.speed.iterations} iterations" if run.speed.iterations > 1 else "one iteration"
        return Estimate(run.speed.steps_per_second, f"as run {run.name}, {when}: {mean}")
    if measured is None:
        return None
    busy = ", while the machine was busy" if measured.busy_percent > BUSY else ""
    return Estimate(measured.steps_per_second, f"measured here {formatting.ago(now - measured.time)}{busy}")


def shape_key(summary: ProfileSummary) -> str:
    """What decides the speed, the same for profiles that differ in other things alone.

    `1v1 2x32 default 94-90 256x256 256x256 20000x2 auto`: cars, workers and arenas, observation and actions, nets, batches.
    """
    nets = ("x".join(str(size) for size in layers) for layers in (summary.policy_layers, summary.critic_layers))
    return " ".join(
        (
            f"{summary.blue}v{summary.orange} {summary.workers}x{summary.arenas}",
            f"{summary.obs} {summary.obs_size}-{summary.actions}",
            *nets,
            f"{summary.batch}x{summary.epochs} {summary.device or 'auto'}",
        )
    )


def _same_shape(summary: ProfileSummary, shape: RunShape) -> bool:
    cars = (summary.blue or 0) + (summary.orange or 0)
    games = (summary.workers, summary.arenas, cars, summary.obs_size, summary.actions, summary.epochs)
    nets = summary.policy_layers == shape.policy_layers and summary.critic_layers == shape.critic_layers
    batch = summary.batch or 0
    return (
        nets
        and games == (shape.workers, shape.arenas, shape.cars, shape.obs_size, shape.actions, shape.epochs)
        and batch <= shape.batch <= batch * ROUNDING + 1
        and shape.host == socket.gethostname()
        and summary.device in ("", "auto", shape.device)
    )


def rounded(rate: float) -> int:
    """Two digits are known, more are not: 14,231 → 14,000."""
    size = 10 ** max(len(str(int(rate))) - 2, 0)
    return int(round(rate / size) * size)
