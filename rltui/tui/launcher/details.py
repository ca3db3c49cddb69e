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
from rltui.tui.checks.doctor import SPEED, Preflight
from rltui.tui.checks.results import content_key
from rltui.tui.dependencies import LauncherDependencies
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.check_lines import Estimate, PlanContext, estimate, shape_key, tally
from rltui.tui.launcher.descriptions import group_lines, milestone_lines, profile_lines, run_lines
from rltui.tui.launcher.plan import Plan
from rltui.tui.launcher.tree import Item, groups, profile_at
from rltui.tui.text import Line, clean, ends, named_lines, text_line, width_of, wrap
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ScrollableLines

REST = 1.0  # seconds that the cursor rests on a profile before the doctor comes
SECTIONS: Mapping[str, str] = {
    "Profiles": (
        "A profile says what a bot learns and how: rewards, starting positions, nets, learning rate. ✓ is valid. "
        "Yours are in ./profiles; rltui profile new writes one."
    ),
    "Runs": "A run is one bot in training: charts, log, checkpoints. Launching a profile starts one.",
    "Milestones": (
        "A milestone is a copy of a bot that is never pruned: one every so many timesteps, and whenever M is pressed. "
        "Enter trains on from it, on a branch."
    ),
}


def title_line(catalog: Catalog | None, width: int) -> Line:
    """The program's name; data folder, runs, milestones and free disk at the right."""
    name: Line = ((" rltui ", "pill-busy"),)
    tagline: Line = (*name, ("  trains Rocket League bots", "muted"))
    if catalog is None:
        return tagline
    parts = [formatting.plural(len(catalog.runs), "run"), formatting.plural(len(catalog.milestones), "milestone")]
    parts += [f"{formatting.size(catalog.free_bytes)} free"] if catalog.free_bytes is not None else []
    counts = " · ".join(parts) + " "
    left = tagline if width >= width_of(tagline) + len(counts) + 30 else name
    room = width - width_of(left) - len(counts) - 5
    return ends(left, text_line(f"{_short_path(catalog.root, room)} · {counts}", "muted"), width)


def _short_path(path: Path, room: int) -> str:
    """The end of the path, as much of it as there is room for; `~` is the home folder."""
    home = Path.home()
    text = clean(f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path))
    return text if len(text) <= room else f"…{text[len(text) - max(room, 8) + 1 :]}"


def heading(item: Item | None) -> str:
    """The right side's border title, in Textual markup."""
    if item is None:
        return ""
    name = Path(item.name).stem if item.kind == "profile" else item.name
    name = formatting.state_name("milestone", Path(item.name).name) if item.kind == "milestone" else name
    return escape(name)


def lines(item: Item | None, catalog: Catalog, context: PlanContext, width: int) -> list[Line]:
    """The right side for what the cursor stands on."""
    if item is None:
        return welcome_lines(width)
    if item.kind == "profile" and (entry := catalog.profile(Path(item.name))) is not None:
        welcome = welcome_lines(width) if not catalog.runs else []
        return [*welcome, *profile_lines(entry, context, width)]
    if item.kind == "run" and (run := catalog.run(item.name)) is not None:
        return run_lines(run, catalog.verdicts.get(run.name), context, width)
    if item.kind == "milestone" and (found := catalog.milestone(item.name)) is not None:
        return milestone_lines(found, context, width)
    if item.kind == "group":
        return group_lines(groups(catalog).get(item, []), width)
    return wrap(SECTIONS[item.name], width) if item.name in SECTIONS else [text_line("it is gone from disk", "muted")]


def welcome_lines(width: int) -> list[Line]:
    """For somebody who has never been here."""
    steps = ("Choose a profile with ↑ ↓.", "enter starts a trainer; it goes on when this window closes.", "q leaves.")
    lines = wrap("Welcome! Here you train bots for Rocket League.", width, "strong")
    lines += named_lines([(f"{number}", text, "") for number, text in enumerate(steps, 1)], width)
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
    """What the cursor stands on, and what enter will do. The doctor comes once the cursor rests on a profile that is not
    known yet: a child, read by a thread; moving on ends it.

    clock: Unix seconds.
    """

    def __init__(self, data: DataDir, tools: LauncherDependencies, clock: Callable[[], float]) -> None:
        super().__init__(name="details", classes="pane")
        self._data, self._tools, self._clock = data, tools, clock
        self.item: Item | None = None  # what it is about
        self._catalog: Catalog | None = None
        self._plan: Plan | None = None
        self._key = ""  # content of the profile here, where the doctor can examine it
        self._left_off: Preflight | None = None  # shown until it begins anew

    def on_mount(self) -> None:
        self.set_interval(1.0, self._count)

    def _count(self) -> None:
        """The seconds of a measurement."""
        if self.screen.is_active and (preflight := self.preflight) is not None and preflight.measuring:
            self.repaint()

    def show(self, item: Item | None, catalog: Catalog | None, plan: Plan | None) -> None:
        """From the first line, where it is another thing than before."""
        if item != self.item:
            self.first = 0
        self.item, self._catalog, self._plan = item, catalog, plan
        self.border_title = heading(item)
        entry = profile_at(catalog, item)
        check = entry.check if entry is not None else None
        key = _key(entry) if entry is not None and check is not None and (check.valid or check.forcible) else ""
        if key != self._key and self.screen.is_active:  # not behind the box of a start
            self._left_off = None
            self._tools.preflights.cancel()
            self._key = key
            self.set_timer(REST, lambda: self._rested(key))
        self._refresh()

    def paint(self, width: int, height: int) -> list[Line]:
        if self._catalog is None:
            return self.window([], height)
        context = PlanContext(self._clock(), self._plan, self.preflight, self._estimate)
        return self.window(lines(self.item, self._catalog, context, width), height)

    @property
    def preflight(self) -> Preflight | None:
        """What the doctor has found so far."""
        return self._tools.preflights.known(self._key) or self._left_off

    def examine(self, *, speed: bool = False) -> bool:
        """Have the doctor look, whatever is known; False where there is nothing that it can examine. speed: measure that too."""
        entry = profile_at(self._catalog, self.item)
        if entry is not None and self._key:
            self._run_preflight(self._key, entry.path, speed)
        return bool(self._key)

    def end_preflight(self) -> str:
        """Nobody waits for the child any more. Returns what is left unchecked, in words."""
        key, preflight = self._key, self.preflight
        if not key or (preflight is not None and preflight.done):
            return ""
        self._tools.preflights.cancel()
        self._left_off = preflight
        self._key = ""  # once the launcher is shown again, it begins anew
        return (
            f"preflight not finished: {tally(preflight) or 'not begun'}"
            if not preflight or preflight.left != [SPEED]
            else ""
        )

    def on_unmount(self) -> None:
        self._tools.preflights.cancel()

    @if_mounted
    def on_preflight_news(self, message: PreflightNews) -> None:
        entry, found = profile_at(self._catalog, self.item), message.preflight
        if entry is None or found.key != self._key:
            return
        if found.speed is not None and entry.summary is not None:
            self._tools.measurements.put(shape_key(entry.summary), found.speed)
        self._refresh()

    @property
    def _estimate(self) -> Estimate | None:
        entry, catalog = profile_at(self._catalog, self.item), self._catalog
        if entry is None or entry.summary is None or catalog is None:
            return None
        measured = self._tools.measurements.get(shape_key(entry.summary))
        return estimate(entry.summary, catalog.runs, measured, self._clock())

    def _rested(self, key: str) -> None:
        if key == self._key and self.preflight is None:
            self.examine()

    @work(thread=True, group="preflight", exit_on_error=False)
    def _run_preflight(self, key: str, profile: Path, speed: bool) -> None:
        self._tools.preflights.run(key, profile, self._data.root, self._post, speed)

    def _post(self, state: Preflight) -> None:
        """From the thread."""
        if self.is_running:
            self.post_message(PreflightNews(state))

    def _refresh(self) -> None:
        """With the tally on the border."""
        self.border_subtitle = tally(self.preflight)
        self.repaint()


def _key(entry: ProfileEntry) -> str:
    return f"{entry.path}@{content_key(entry.path)}"
