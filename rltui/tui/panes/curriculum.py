"""Pane on the curriculum: phases, what the next one waits for, stages by timesteps."""

from __future__ import annotations

from collections.abc import Iterator

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.records import CurriculumPlanned, PhaseChanged, PhasePlan, StageChanged
from rltui.run_state import progress
from rltui.run_state.progress import CriterionProgress, criteria, is_last_phase, metrics_of, phase_now, steps_by_skill
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, clean, crop, pad, wrap
from rltui.tui.widgets.bars import progress_bar
from rltui.tui.widgets.list_view import ScrollableLines

_FIGURE, _WANTED, _MISSING, _WHEN = 10, 12, 17, 13  # columns


class CurriculumPane(Pane, ScrollableLines):
    """From what is now to what was before; it scrolls."""

    NUMBER = "7"
    SLOT = "charts"
    ROOMY_SLOT = "side"
    WANTS = 15
    NAME = "Curriculum"
    SHORT = "Curriculum"
    EVERY = 0.9
    EMPTY = "Phases appear here once the trainer has opened the run."
    HELP = (
        "The next phase begins when the bot's own games meet every criterion over the newest window of iterations, and the "
        "newest evaluated state those by games (score: wins and half the draws; lower end of the 95 % interval), after the "
        "phase's minimum of timesteps; or after max_steps; or when you press <next_phase>. Times left extend a "
        "straight line through the newest 50 iterations; a dash where it leads nowhere. Stages of match play change by "
        "timesteps alone."
    )

    def has_nothing(self, view: View) -> bool:
        return view.snapshot.header is None

    def matters(self, view: View) -> bool:
        plan = view.snapshot.plan
        return plan is not None and bool(plan.phases or plan.stages or plan.schedules)

    def depends(self, view: View) -> object:
        snapshot = view.snapshot
        return snapshot.plan, snapshot.tasks, snapshot.metrics_time, snapshot.header, snapshot.paused

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        snapshot = view.snapshot
        blocks = [
            list(_here(snapshot, width)),
            list(_criteria(snapshot, width, self.with_keys("<next_phase>"))),
            list(_schedules(snapshot, width)),
            list(_stages(snapshot, width)),
            list(_next(snapshot, width)),
            list(_before(snapshot, width)),
        ]
        lines: list[Line] = []
        for block in filter(None, blocks):
            lines += [*([()] if lines else []), *block]
        return self.window(lines, height)

    def subtitle(self, view: View) -> str:
        found = () if is_last_phase(view.snapshot) else criteria(view.snapshot)
        there = sum(way.missing == 0 for way in found)
        return f"[$muted]{there} of {len(found)} reached[/]" if found else ""


def _here(snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    plan, now, header = snapshot.plan, phase_now(snapshot), snapshot.header
    stage = f"  ·  stage {header.stage}" if header is not None and header.stage else ""
    if plan is None:
        yield from wrap("An older version trained this run: its plan is not known.", width, "warn")
    elif not plan.phases:
        words = "No curriculum." if not _changes(plan) else "No phases."
        yield from wrap(words + " For one by skill: rltui train campaign", width, "muted")
        if stage:
            yield ((stage.removeprefix("  ·  "), "strong"),)
    else:
        phase = plan.phases[now] if now is not None else None
        number = formatting.UNKNOWN if now is None else str(now + 1)
        label = "" if phase is None else f"  ·  {phase.label}"
        yield crop(((f"Phase {number} of {len(plan.phases)}", "strong"), (label, "strong"), (stage, "")), width)
        if phase is not None:
            yield crop(((f"{phase.profile}, {_lasted(snapshot)}", "muted"),), width)


def _changes(plan: CurriculumPlanned) -> bool:
    return bool(plan.stages or plan.schedules)


def _lasted(snapshot: RunSnapshot) -> str:
    steps = metrics_of(snapshot).get(metric_keys.PHASE_STEPS)
    return f"for {formatting.count(steps)} timesteps" if steps is not None else "just begun"


def _criteria(snapshot: RunSnapshot, width: int, key: str) -> Iterator[Line]:
    plan, found = snapshot.plan, criteria(snapshot)
    if is_last_phase(snapshot):
        yield (("Last phase: until the run ends.", "muted"),)
        return
    if found:
        yield crop(((f"To go on, all of these{_over(plan, found)}", "title"),), width)
        label = _label_width(found, width)
        yield from (_way(way, _speed(snapshot), width, label) for way in found)
    elif plan is None or not plan.phases:
        return
    yield from _when(snapshot, found, width, key)
    yield from wrap(f"{key} starts the next phase now (asks first).", width, "muted")


def _over(plan: CurriculumPlanned | None, found: list[CriterionProgress]) -> str:
    """What the criteria are measured over."""
    by_games = [way for way in found if way.by_games]
    if plan is None or len(by_games) == sum(not way.whole for way in found):
        return " by games of the newest evaluated state" if by_games else ""
    rest = "; lower ends by games of the newest evaluated state" if by_games else ""
    return f" over the newest {formatting.plural(plan.window, 'iteration')}{rest}"


def _label_width(found: list[CriterionProgress], width: int) -> int:
    """Wider where a label is longer and there is room."""
    usual = min(24, max(width // 4, 16)) if width >= 90 else 16
    longest = max(len(way.label) for way in found if way.by_games) + 3 if any(way.by_games for way in found) else 0
    return max(usual, min(longest, width - _FIGURE - _WANTED - _MISSING))


def _way(way: CriterionProgress, speed: float | None, width: int, label: int) -> Line:
    """Label, value, bar, what is wanted, what is missing, when."""
    fixed = label + _FIGURE + _WANTED + _MISSING
    when = _WHEN if width >= fixed + _WHEN else 0
    bar = min(max(width - fixed - when, 0), 40)
    role = "good" if way.missing == 0 else "" if way.missing is not None else "muted"
    wanted = f" {'≤' if way.less else 'of'} {_figure(way, way.wanted)}"
    spans = [
        (pad(("✓ " if way.missing == 0 else "  ") + way.label, label), role),
        (pad(_figure(way, way.value) + (f" {way.unit}" if way.unit == "%" else ""), _FIGURE - 1, ">") + " ", "strong"),
        *progress_bar(way.share, bar, "good" if way.missing == 0 else "series-1"),
        (pad(wanted, _WANTED), "muted"),
        (pad(_missing(way), _MISSING), role or "warn"),
    ]
    return crop((*spans, (pad(_in(way.steps, speed), when), "muted") if when else ("", "")), width)


def _figure(way: CriterionProgress, value: float | None) -> str:
    return formatting.count(value) if way.whole else formatting.number(value)


def _missing(way: CriterionProgress) -> str:
    if way.missing is None:
        return "not measured yet"
    return "reached" if way.missing == 0 else f"{_figure(way, way.missing)} missing"


def _speed(snapshot: RunSnapshot) -> float | None:
    """None while paused: nothing comes nearer."""
    return None if snapshot.paused else progress.speed(snapshot)


def _in(steps: float | None, speed: float | None) -> str:
    if steps == 0:
        return ""
    return formatting.UNKNOWN if steps is None or not speed else f"in {formatting.remaining(steps / speed)}"


def _when(snapshot: RunSnapshot, found: list[CriterionProgress], width: int, key: str) -> Iterator[Line]:
    """When it will be, by the trend; and the way out."""
    speed, latest = _speed(snapshot), metrics_of(snapshot).get(metric_keys.MAX_STEPS_LEFT)
    if found:
        steps = steps_by_skill(found)
        held = [way.label for way in found if way.steps is None]
        when = "now" if steps == 0 else _in(steps, speed)
        why = f" (no trend yet: {', '.join(held)})" if held else ""
        yield from wrap(f"Next phase by the trend: {when}{why}", width)
    if latest is not None:
        words = f"At the latest after {formatting.count(latest)} more timesteps, {_in(latest, speed)} (max_steps)"
        yield from wrap(words, width, "muted")
    elif not found:
        yield from wrap(f"Only {key} ends this phase: it has neither criteria nor max_steps.", width, "warn")


def _schedules(snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    plan, now = snapshot.plan, phase_now(snapshot)
    words = [] if plan is None else plan.phases[now].schedules if now is not None else plan.schedules
    if words:
        yield (("Changes by timesteps", "title"),)
        for line in words:
            yield from wrap(f"  {line}", width)


def _stages(snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    plan = snapshot.plan
    if plan is None or not plan.stages:
        return
    now, begins = snapshot.metrics.get(metric_keys.STAGE), 0
    yield (("Stages, by timesteps of the run", "title"),)
    for number, stage in enumerate(plan.stages, 1):
        ends = "to the end" if stage.until is None else f"to {stage.until:,}"
        here = number == now
        sign = "▸" if here else " "
        yield crop(((f"{sign} {stage.name:<16} from {begins:,} {ends}", "strong" if here else "muted"),), width)
        begins = stage.until or begins


def _next(snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    plan, now = snapshot.plan, phase_now(snapshot)
    if plan is None or now is None or now + 1 >= len(plan.phases):
        return
    phase: PhasePlan = plan.phases[now + 1]
    yield crop((("Changes in the next phase", "title"), (f"  {phase.label}, {phase.profile}", "muted")), width)
    if not phase.changes:
        yield (("  nothing", "muted"),)
    for change in phase.changes:
        role = "good" if change.startswith("+ ") else "bad" if change.startswith("- ") else ""
        yield crop((("  ", ""), (change, role)), width)


def _before(snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    """Newest first."""
    if not snapshot.tasks:
        return
    yield (("History", "title"),)
    for record in reversed(snapshot.tasks):
        yield from _task(record, width)


def _task(record: PhaseChanged | StageChanged, width: int) -> Iterator[Line]:
    what = "phase" if isinstance(record, PhaseChanged) else "stage"
    head = f"  {formatting.date(record.time)}  at {record.timesteps:,}  {what} {record.to} after {record.came_from}"
    yield crop(((clean(head), ""),), width)
    yield from wrap(f"    {record.reason}", width, "muted")
