"""The launcher's title line, and its right side with the doctor's checks of the highlighted profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rich.markup import escape
from textual import work
from textual.message import Message

from rltui import formatting
from rltui.runs.paths import DataDir
from rltui.tui.background import if_mounted
from rltui.tui.checks.doctor import Measured, Preflight
from rltui.tui.checks.results import content_key
from rltui.tui.dependencies import LauncherDependencies
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.check_lines import PlanContext, tally
from rltui.tui.launcher.descriptions import group_lines, milestone_lines, profile_lines, run_lines
from rltui.tui.launcher.plan import LaunchPlan
from rltui.tui.launcher.speed import Estimate, SteadyEstimate, from_measurement, from_runs, shape_key
from rltui.tui.launcher.tree import Item, groups, profile_at
from rltui.tui.text import Line, clean, ends, text_line, width_of, wrap
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ScrollableLines

REST = 0.6  # seconds that the cursor rests on a profile before the doctor comes
FRESH = 300.0  # seconds for which coming back to a profile does not ask again: memory and disk change meanwhile
SECTIONS: Mapping[str, str] = {
    "Profiles": (
        "A profile says what a bot shall learn and how: rewards, starting positions, nets, learning rate. Those with ✓ are "
        "valid. Your own stand in ./profiles; rltui profile new writes a commented one to start from."
    ),
    "Runs": (
        "A run is one bot in training: its charts, log, checkpoints. Enter on a run shows it, live or from disk; R goes on "
        "with one that has stopped. Runs appear here when you launch a profile."
    ),
    "Milestones": (
        "A milestone is a full copy of a bot, kept for good every so many timesteps, or when you press M: while it trains, or on a "
        "checkpoint in the browser. Enter on one asks, then trains on from there, on a branch of its own."
    ),
}


def title_line(catalog: Catalog | None, width: int) -> Line:
    """The program's name; data folder, runs, milestones and free disk at the right."""
    name: Line = ((" rltui ", "pill-busy"),)
    tagline: Line = (*name, ("  trains Rocket League bots", "muted"))
    if catalog is None:
        return tagline
    parts = [formatting.plural(len(catalog.runs), "run"), formatting.plural(catalog.milestones, "milestone")]
    parts += [f"{formatting.size(catalog.free_bytes)} free"] if catalog.free_bytes is not None else []
    counts = " · ".join(parts) + " "
    left = tagline if width >= width_of(tagline) + len(counts) + 30 else name
    room = width - width_of(left) - len(counts) - 5
    return ends(left, text_line(f"{_short_path(catalog.root, room)} · {counts}", "muted"), width)


def _short_path(path: Path, room: int) -> str:
    """The end of the path, as much of it as there is room for."""
    text = clean(str(path))
    return text if len(text) <= room else f"…{text[len(text) - max(room, 8) + 1 :]}"


def heading(item: Item | None) -> str:
    """The right side's border title, in Textual markup."""
    if item is None:
        return ""
    name = Path(item.name).stem if item.kind == "profile" else item.name
    name = f"{Path(item.name).parent.name} {Path(item.name).name}" if item.kind == "milestone" else name
    return escape(name)


def lines(item: Item | None, catalog: Catalog, context: PlanContext, width: int) -> list[Line]:
    """The right side for what the cursor stands on."""
    if item is None:
        return welcome_lines(width)
    if item.kind == "profile" and (entry := catalog.profile(Path(item.name))) is not None:
        welcome = welcome_lines(width) if not catalog.runs else []
        return [*welcome, *profile_lines(entry, catalog, context, width)]
    if item.kind == "run" and (run := catalog.run(item.name)) is not None:
        return run_lines(run, context, width)
    if item.kind == "milestone" and (found := catalog.milestone(item.name)) is not None:
        return milestone_lines(*found, context, width)
    if item.kind == "group":
        states = next(((run, states) for group, run, states in groups(catalog) if group == item), None)
        return group_lines(*states, width) if states else []
    return wrap(SECTIONS[item.name], width) if item.name in SECTIONS else [text_line("it is gone from disk", "muted")]


def welcome_lines(width: int) -> list[Line]:
    """For somebody who has never been here."""
    steps = (
        ("1", "Choose a profile on the left with the arrow keys."),
        ("2", "Press enter: a trainer starts. It goes on when this window closes."),
        ("3", "Watch it learn. q leaves and lets it train on."),
    )
    lines = wrap("Welcome! Here you train bots for Rocket League.", width, "strong")
    for number, text in steps:
        rows = wrap(text, width - 3)
        lines += [((f"{number if not index else ' '}  ", "key"), *row) for index, row in enumerate(rows)]
    return [*lines, text_line("─" * width, "track")]


class LauncherTitle(LineWidget):
    """The first line: the program and what the data folder holds."""

    def __init__(self) -> None:
        super().__init__(name="title")
        self.catalog: Catalog | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return [title_line(self.catalog, width)]


class PreflightNews(Message, bubble=False):
    """The doctor has gone a step further."""

    def __init__(self, preflight: Preflight) -> None:
        super().__init__()
        self.preflight = preflight


class LauncherDetails(ScrollableLines):
    """What the cursor stands on, and what enter will do. The doctor comes once the cursor rests on a profile: a child,
    read by a thread; moving on ends it.

    clock: Unix seconds. free_memory: MB.
    """

    def __init__(
        self,
        data: DataDir,
        tools: LauncherDependencies,
        clock: Callable[[], float],
        free_memory: Callable[[], float | None],
    ) -> None:
        super().__init__(name="details", classes="pane")
        self._data, self._tools, self._clock, self._free_memory = data, tools, clock, free_memory
        self.item: Item | None = None  # what it is about
        self._catalog: Catalog | None = None
        self._plan: LaunchPlan | None = None
        self._examined = ""  # content of the profile that the doctor is with, or was
        self._steady = SteadyEstimate()

    def show(self, item: Item | None, catalog: Catalog | None, plan: LaunchPlan | None) -> None:
        """From the first line, where it is another thing than before."""
        if item != self.item:
            self.first = 0
        self.item, self._catalog, self._plan = item, catalog, plan
        self.border_title = heading(item)
        self._show_tally()
        entry = self._entry
        if self._examined and (entry is None or _key(entry) != self._examined):
            self.end_preflight()
        if entry is not None and entry.check is not None and not self._examined:
            self.set_timer(REST, lambda: self._examine(item))
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        if self._catalog is None:
            return self.window([], height)
        context = PlanContext(self._clock(), self._plan, self._free_memory(), self.preflight, self._estimate)
        return self.window(lines(self.item, self._catalog, context, width), height)

    @property
    def preflight(self) -> Preflight | None:
        """What the doctor has found so far."""
        entry = self._entry
        return self._tools.preflights.known(_key(entry)) if entry is not None else None

    def repeat_preflight(self) -> None:
        """What is known of the profile here counts no longer."""
        entry = self._entry
        if entry is not None:
            self.end_preflight()
            self._tools.preflights.forget(_key(entry))
            self.show(self.item, self._catalog, self._plan)

    def end_preflight(self) -> None:
        """Nobody waits for the child any more."""
        self._tools.preflights.cancel()
        self._examined = ""

    def on_unmount(self) -> None:
        self.end_preflight()

    @if_mounted
    def on_preflight_news(self, message: PreflightNews) -> None:
        entry, found = self._entry, message.preflight
        if entry is None or found.key != _key(entry):
            return
        summary = entry.summary
        if found.steps_per_second and summary is not None:
            measured = Measured(found.steps_per_second, found.measured or self._clock(), found.busy_percent or 0.0)
            if self._tools.measurements.get(shape_key(summary)) != measured:
                self._tools.measurements.put(shape_key(summary), measured)
        self._show_tally()
        self.repaint()

    @property
    def _entry(self) -> ProfileEntry | None:
        return profile_at(self._catalog, self.item)

    @property
    def _estimate(self) -> Estimate | None:
        """Of the profile's speed: a run says more than a measurement."""
        entry, catalog = self._entry, self._catalog
        summary = entry.summary if entry else None
        if summary is None or catalog is None:
            return None
        key, now = shape_key(summary), self._clock()
        found = from_runs(summary, catalog.runs, now) or from_measurement(self._tools.measurements.get(key), now)
        return self._steady.update(key, found)

    def _examine(self, item: Item | None) -> None:
        """Unless the cursor has moved on, or what is known is fresh."""
        entry = self._entry
        if item != self.item or entry is None or entry.check is None or self._examined:
            return
        if not (entry.check.valid or entry.check.forcible):
            return
        key, known = _key(entry), self.preflight
        if known is not None and known.ended is not None and self._clock() - known.ended < FRESH:
            return
        self._examined = key
        # a measurement beside a training would say little, and disturb it
        measures = self._estimate is None and not (self._catalog and self._catalog.training)
        self._run_preflight(key, entry.path, measures)

    @work(thread=True, group="preflight", exit_on_error=False)
    def _run_preflight(self, key: str, profile: Path, measures: bool) -> None:
        self._tools.preflights.run(key, profile, self._data.root, self._post, measures)

    def _post(self, state: Preflight) -> None:
        """From the thread."""
        if self.is_running:
            self.post_message(PreflightNews(state))

    def _show_tally(self) -> None:
        """On the border."""
        words = tally(self.preflight)
        if self.border_subtitle != words:
            self.border_subtitle = words


def _key(entry: ProfileEntry) -> str:
    return f"{entry.path}@{content_key(entry.path)}"
