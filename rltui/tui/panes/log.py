"""Log pane: entries by level, and by a filter that marks what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content

from rltui import formatting
from rltui.errors import RltuiError
from rltui.events.records import Level
from rltui.run_state.log_entries import LEVELS, LogEntry
from rltui.run_state.snapshot import LeftAt
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.log_view import LogFilter, LogList, LogWindow, folded_lines, opened_lines
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, fit, text_line
from rltui.tui.widgets.dialogs import TextDialog
from rltui.tui.widgets.filter_bar import AROUND, FOLLOWS, Filtered, Pattern, filter_words, is_attended
from rltui.tui.widgets.list_view import STEPS, ScrollableLines

CURSOR = " ▸"  # where an entry has its level's sign


class LogPane(Pane, ScrollableLines):
    """Entries of the chosen level and above that match the filter."""

    NUMBER = "9"
    SLOT = "log"
    NAME = "Log"
    SHORT = "Log"
    FILTERS = True
    EMPTY = "Messages of the trainer, its workers and whoever controls the run appear here."
    HELP = (
        "Newest at the bottom; the log follows until you move up, and again with End. <log_level> sets the level shown; "
        "<filter> searches text, source and debug flag; <back> shows all again, with the cursor on the same entry. The "
        "newest 5,000 entries are here, all in the run's journal.jsonl; what workers print in trainer.log."
    )
    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("log")

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._list = LogList()
        self._window = LogWindow(self._list)
        self.left: LeftAt | None = None  # a rule stands there

    @property
    def level(self) -> Level:
        return self._list.wanted.level

    @property
    def at_newest(self) -> bool:
        return self._window.cursor is None

    def next_level(self) -> Level:
        """Show the next level of LEVELS and above; returns it."""
        level = LEVELS[(LEVELS.index(self.level) + 1) % len(LEVELS)]
        self._choose(LogFilter(level, self.pattern))
        return level

    def jump_to(self, time: float) -> None:
        """Stand on the first entry of that time (Unix seconds) or later: a mark on a chart."""
        if self.view is not None:
            self._catch_up(self.view)
        self._window.stand(self._list.at(time))
        self.redraw()

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.log and not view.snapshot.output

    def depends(self, view: View) -> object:
        return view.snapshot.log_total, view.snapshot.log[-1:], view.snapshot.output, view.frozen

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        self._catch_up(view)
        pattern = self.pattern
        cursor = self._window.place if is_attended(self) and self._window.cursor is not None else -1
        lines: list[Line] = []
        first_new = self._first_new()

        def lines_of(entry: LogEntry) -> list[Line]:
            rule = [_rule(self.left, width)] if self.left is not None and entry is first_new else []
            return [*rule, *folded_lines(entry, width, pattern)]

        for place, rows in self._window.view(height, lines_of):
            lines += [_under_cursor(row, width) for row in rows] if place == cursor else rows
        return lines or [text_line(self._nothing(), "muted")]

    def _first_new(self) -> LogEntry | None:
        """The first listed entry that came after the run was left; None where none did, or none was there before."""
        place = self._list.index(self.left.log_total) if self.left is not None else 0
        return self._list.entries[place] if 0 < place < len(self._list) else None

    def subtitle(self, view: View) -> str:
        self._catch_up(view)
        return "[$muted] · [/]".join(self._words())

    @property
    def filtered(self) -> Filtered | None:
        return self if self._list.held else None

    @property
    def pattern(self) -> Pattern:
        return self._list.wanted.pattern

    @property
    def standing(self) -> object:
        return FOLLOWS if self.at_newest else self._window.cursor

    def matching(self) -> tuple[Sequence[object], int]:
        return self._list.numbers, self._list.held

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        self._choose(LogFilter(self.level, pattern))
        if goes is not None:
            self._window.stand_near(goes if isinstance(goes, int) else None)
            self.redraw()

    def action_open(self) -> None:
        if not len(self._list):
            raise RltuiError("no line is shown")
        entry = self._list.entries[self._window.place]
        self.app.push_screen(TextDialog(entry.source or "Trainer's output", partial(opened_lines, entry)))

    def move(self, rows: int) -> None:
        """By entries; negative is up. At the end it follows again."""
        self._window.move(rows)
        self.redraw()

    def on_key(self, event: events.Key) -> None:
        page = max(self.size.height - 1, 1)
        steps = {**STEPS, "pageup": -page, "pagedown": page, "home": -len(self._list), "end": len(self._list)}
        if event.key in steps:
            self.move(steps[event.key])
            event.stop()
            event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        place = self._window.place_at(offset.y) if offset is not None else None
        if place is not None:
            self._window.stand(place)
            self.redraw()
            if event.chain > 1:
                self.call_next(self.run_action, "open")

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor shows while the pane has the focus."""
        super().watch_has_focus(has_focus)
        self.redraw()

    def _choose(self, wanted: LogFilter) -> None:
        self._list.choose(wanted)
        self._window.stand_near(self._window.cursor)
        self.redraw()

    def _catch_up(self, view: View) -> None:
        snapshot = view.snapshot
        if snapshot.log:
            self._list.update(snapshot.log, snapshot.log_total)
        else:  # what a trainer printed that failed before it said anything
            entries = tuple(LogEntry(0.0, "error", "", line) for line in snapshot.output.split("\n") if line)
            self._list.update(entries, len(entries))
        self._window.catch_up()

    def _words(self) -> list[str]:
        wanted, found = self._list.wanted, []
        if self.view is not None and self.view.frozen:
            found.append(f"{_loud('FROZEN')} [$accent]{self.with_keys('<freeze>')} goes on[/]")
        if not self.at_newest:
            new = f"{formatting.plural(self._window.unseen, 'new line')} – " if self._window.unseen else ""
            found.append(f"{_loud('STANDS STILL')} [$accent]{new}End follows[/]")
        level = f"[$muted]{wanted.level} and above[/]"
        if not wanted.pattern.text:
            return [*found, level, f"[$muted]{self._count()}[/]"]
        room = self.outer_size.width - AROUND - sum(Content.from_markup(f"{word} · ").cell_length for word in found)
        return [*found, filter_words(wanted.pattern, len(self._list), self._list.held, room, level)]

    def _count(self) -> str:
        """`12 of 57 lines`: those that are listed of those that are kept; what is older is in the journal alone."""
        held = formatting.plural(self._list.held, "line")
        older = self._list.total - self._list.held
        left_out = f", {older:,} older ones in journal.jsonl" if older else ""
        return (held if len(self._list) == self._list.held else f"{len(self._list):,} of {held}") + left_out

    def _nothing(self) -> str:
        wanted = self._list.wanted
        filtered = " that matches the filter" if wanted.pattern.text else ""
        return f"nothing of level {wanted.level} or above{filtered}"


def _rule(left: LeftAt, width: int) -> Line:
    return ((f"── you left {formatting.date(left.time)} ".ljust(width, "─"), "act"),)


def _loud(words: str) -> str:
    """As a pill, in the lower border."""
    return f"[bold $background on $accent] {words} [/]"


def _under_cursor(line: Line, width: int) -> Line:
    """A hit keeps its own background; a sign too, for those who see none."""
    if len(line) > 2 and len(line[1][0]) == len(CURSOR):
        line = (line[0], (line[1][0][0] + CURSOR[1], line[1][1]), *line[2:])
    return tuple((text, f"cursor {role}".strip()) for text, role in fit(line, width))
