"""Checks of a profile, the doctor's and its own, as lines; what a trainer of it is expected to do here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.tui.checks.doctor import SPEED, Preflight, PreflightCheck
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.plan import LaunchPlan
from rltui.tui.launcher.speed import Estimate, estimate_lines
from rltui.tui.text import Line, clean, crop_text, fit, text_line, wrap

INDENT = 2
DISK_LOW = 5e9  # bytes
OLD = 60.0  # seconds
WORDS_FROM = 56  # columns; below, what passed is named and no more
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
    "action table": "launching is refused; F launches all the same",
    "rewards": "launching is refused; F launches all the same",
    "memory": "launching goes on, and the system may end the trainer",
    "disk": "launching goes on; what cannot be saved is said, and training continues",
    "visualiser": "launching goes on",
    "resets": "launching goes on, until such an episode begins",
    "spaces": "launching stops with this reason",
}
STOPS = "launching stops with this reason, before anything is written"


def table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Names and values, the values wrapped."""
    size = max((len(name) for name, _ in rows), default=0) + 2
    lines: list[Line] = []
    for name, value in rows:
        wrapped = wrap(value, max(width - size, 10))
        lines += [((f"{name if not index else '':<{size}}", "muted"), *row) for index, row in enumerate(wrapped)]
    return lines


def aligned_table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """As `table`, blanks kept: for aligned numbers."""
    size = max((len(name) for name, _ in rows), default=0) + 2
    return [((f"{name:<{size}}", "muted"), (crop_text(value, width - size), "")) for name, value in rows]


def indented(lines: Sequence[Line]) -> list[Line]:
    """Without the empty ones."""
    return [((" " * INDENT, ""), *line) for line in lines if line]


def with_symbols(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    """(symbol, text, role) each, wrapped behind the symbol; what is good is said in the plain colour."""
    lines: list[Line] = []
    for symbol, text, role in rows:
        wrapped = wrap(text, width - 4, "" if role == "good" else role)
        lines += [((f"  {symbol if not index else ' '} ", role), *row) for index, row in enumerate(wrapped)]
    return lines


@dataclass(frozen=True, slots=True)
class PlanContext:
    """now: Unix seconds. free_memory_mb: None where it is not known. plan: None while it is being worked out."""

    now: float
    plan: LaunchPlan | None = None
    free_memory_mb: float | None = None
    preflight: Preflight | None = None
    estimate: Estimate | None = None


def check_lines(entry: ProfileEntry, catalog: Catalog, context: PlanContext, width: int) -> list[Line]:
    """The profile's own check, the doctor's as they come, then what is expected."""
    check, preflight = entry.check, context.preflight
    rows: list[tuple[str, str, str]] = []
    if check is None:
        rows.append(("◌", "the profile is being checked", "muted"))
    elif preflight is None:
        rows.append(("✓", "profile valid", "good") if check.valid else ("✗", "profile not valid", "bad"))
    rows += [("!", text, "warn") for text in (check.warnings if check else ())]
    memory = entry.summary.memory_mb if entry.summary else None
    if preflight is None:
        rows += _memory_and_disk(memory, context.free_memory_mb, catalog.free_bytes)
    head = text_line("Preflight", "title")
    if preflight is not None:
        head = (*head, *_tally(preflight), *_age(preflight, context.now))
    lines: list[Line] = [head, *with_symbols(rows, width)]
    lines += _preflight(preflight, width) if preflight else []
    return [*lines, *_expected(entry, context, width)]


def tally(preflight: Preflight | None) -> str:
    """For the border: it is in view also where the list is not."""
    return "".join(text for text, _ in (*_tally(preflight), ("", ""))).strip() if preflight else ""


def _tally(preflight: Preflight) -> Line:
    checks = [check for check in preflight.checks if check.name != SPEED]
    ended = sum(check.state not in ("waiting", "running") for check in checks)
    if not preflight.done and ended < len(checks):
        return ((f"  {ended} of {len(checks)} checked", "muted"),)
    if preflight.failed:
        return ((f"  ✗ {len(preflight.failed)} failed", "bad"),)
    return (("  ✓ ready to launch", "good"),) if not preflight.problem else ()


def _age(preflight: Preflight, now: float) -> Line:
    """Of what was looked at some time ago: memory, disk and ports change."""
    old = preflight.ended is not None and now - preflight.ended >= OLD
    return ((f"  {formatting.ago(now - (preflight.ended or now))}, r checks again", "muted"),) if old else ()


def _preflight(preflight: Preflight, width: int) -> list[Line]:
    """Failed ones with all words; what passed in pairs where there is room."""
    lines: list[Line] = []
    columns = 2 if width >= 96 else 1
    short: list[Line] = []
    names: list[Line] = []
    for check in preflight.checks:
        if check.name == SPEED:
            continue
        if check.state in ("fail", "warn"):
            lines += _full(check, width)
        elif width < WORDS_FROM:
            names.append(_short(replace(check, sentence=""), width))
        else:
            short.append(_short(check, (width - 2) // columns - 2))
    for index in range(0, len(short), columns):
        lines.append(_joined(short[index : index + columns], (width - 2) // columns))
    lines += [_joined(names[index : index + 2], (width - 2) // 2) for index in range(0, len(names), 2)]
    if preflight.problem:
        lines += with_symbols([("!", preflight.problem, "warn")], width)
    return lines


def _full(check: PreflightCheck, width: int) -> list[Line]:
    symbol, role = STATES[check.state]
    lines = with_symbols([(symbol, f"{check.name}: {check.sentence}", role)], width)
    if check.state == "fail":
        lines += [(("      ", ""), *row) for row in wrap(CONSEQUENCES.get(check.name, STOPS), width - 6, "strong")]
    if check.advice:
        lines += [(("      ", ""), *row) for row in wrap(check.advice, width - 6, "muted")]
    return lines


def _short(check: PreflightCheck, width: int) -> Line:
    symbol, role = STATES[check.state]
    words = f": {clean(check.sentence)}" if check.sentence else ""
    name = ((f"  {symbol} ", role), (check.name, "" if check.state == "pass" else "muted"))
    return (*name, (crop_text(words, max(width - 4 - len(check.name), 4)), "muted"))


def _joined(cells: list[Line], width: int) -> Line:
    return tuple(span for cell in cells for span in fit(cell, width)) if len(cells) > 1 else cells[0]


def _memory_and_disk(memory: float | None, free: float | None, disk: int | None) -> list[tuple[str, str, str]]:
    """Until the doctor has looked."""
    rows: list[tuple[str, str, str]] = []
    if memory is not None:
        enough = free is None or memory < free * 0.9
        left = f" of {formatting.megabytes(free)} free" if free is not None else ""
        sign, role = ("✓", "good") if enough else ("!", "warn")
        rows.append((sign, f"about {formatting.megabytes(memory)} of memory{left}", role))
    if disk is not None:
        sign, role = ("✓", "good") if disk > DISK_LOW else ("!", "warn")
        rows.append((sign, f"{formatting.size(disk)} of disk free", role))
    return rows


def _expected(entry: ProfileEntry, context: PlanContext, width: int) -> list[Line]:
    """Speed, memory and how often there is a milestone; how that is known."""
    words = estimate_lines(entry.summary, context.estimate)
    if not words or (context.estimate is None and not _measuring(context.preflight)):
        return []
    first, *basis = words
    if context.estimate is None:
        basis = ["the speed is being measured …"]
    rows = wrap(f"Expected here: {first}", width, "strong")
    return [(), *rows, *(row for text in basis for row in wrap(text, width, "muted"))]


def _measuring(preflight: Preflight | None) -> bool:
    return preflight is not None and any(
        check.name == SPEED and check.state in ("waiting", "running") for check in preflight.checks
    )
