"""Right side and title."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rich.markup import escape

from rltui import formatting
from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.descriptions import group_lines, milestone_lines, profile_lines, run_lines
from rltui.tui.launcher.tree import Item, groups
from rltui.tui.text import Line, clean, ends, text_line, width_of, wrap
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ScrollableLines


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


def lines(item: Item | None, catalog: Catalog, moment: PlanContext, width: int) -> list[Line]:
    """The right side for what the cursor stands on."""
    if item is None:
        return welcome_lines(width)
    if item.kind == "profile" and (entry := catalog.profile(Path(item.name))) is not None:
        welcome = welcome_lines(width) if not catalog.runs else []
        return [*welcome, *profile_lines(entry, catalog, moment, width)]
    if item.kind == "run" and (run := catalog.run(item.name)) is not None:
        return run_lines(run, moment, width)
    if item.kind == "milestone" and (found := catalog.milestone(item.name)) is not None:
        return milestone_lines(*found, moment, width)
    if item.kind == "group":
        states = next(((run, states) for group, run, states in groups(catalog) if group == item), None)
        return group_lines(*states, width) if states else []
    return section_lines(item.name, width) if item.name in SECTIONS else [text_line("it is gone from disk", "muted")]


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


def section_lines(name: str, width: int) -> list[Line]:
    """What this part of the tree holds and how to get it."""
    return wrap(SECTIONS[name], width)


class LauncherTitle(LineWidget):
    """The first line: the program and what the data folder holds."""

    def __init__(self) -> None:
        super().__init__(name="title")
        self.catalog: Catalog | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return [title_line(self.catalog, width)]


class LauncherDetails(ScrollableLines):
    """The right side. The launcher sets what it says."""

    def __init__(self, words: Callable[[int], list[Line]]) -> None:
        super().__init__(name="details", classes="pane")
        self._words = words
        self.item: Item | None = None  # what it is about

    def about(self, item: Item | None) -> None:
        """From its first line, where that is another thing than before."""
        self.border_title = heading(item)
        if item != self.item:
            self.item, self.first = item, 0
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)
