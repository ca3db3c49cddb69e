"""Log pane: entries by level, worker and flag; a search that marks its hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from textual import events
from textual.binding import BindingType

from rltui import formatting
from rltui.errors import RltuiError
from rltui.events.records import Level
from rltui.run_state.log_entries import LEVELS, LogEntry
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.log_view import LogFilter, LogList, LogWindow, folded_lines, opened_lines
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, fit, text_line
from rltui.tui.widgets.dialogs import TextDialog
from rltui.tui.widgets.filter_bar import MOVES, Pattern, TypedFilter
from rltui.tui.widgets.list_view import STEPS, ScrollableLines

Value = TypeVar("Value")
CURSOR = " ▸"  # where an entry has its level's sign


class LogPane(Pane, ScrollableLines):
    """Entries of the chosen level and above, worker and flag; what is searched is marked."""

    NUMBER = "9"
    SLOT = "log"
    NAME = "Log"
    SHORT = "Log"
    EMPTY = "Here will be what the trainer, its workers and whoever controls the run have to say."
    HELP = (
        "Newest at the bottom; it follows until you move up (it says that it stands still), and again with End. <log_level> "
        "changes the level shown; <log.search> looks for a regular expression in the text, who says it and its debug flag. "
        "The newest 5,000 entries are here; everything is in journal.jsonl of the run's folder, and what the trainer printed "
        "in trainer.log."
    )
    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("log")

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._list = LogList()
        self._window = LogWindow(self._list)
        self._filter = TypedFilter[int]()  # the search

    @property
    def level(self) -> Level:
        return self._list.wanted.level

    @property
    def at_newest(self) -> bool:
        return self._window.cursor is None

    def next_level(self) -> Level:
        """Show the next level of LEVELS and above; returns it."""
        level = LEVELS[(LEVELS.index(self.level) + 1) % len(LEVELS)]
        self._choose(level=level)
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
        search = self._wanted_search()
        cursor = self._window.place if self.has_focus and self._window.cursor is not None else -1
        lines: list[Line] = []
        for place, rows in self._window.view(height, lambda entry: folded_lines(entry, width, search)):
            lines += [_under_cursor(row, width) for row in rows] if place == cursor else rows
        return lines or [text_line(self._nothing(), "muted")]

    def subtitle(self, view: View) -> str:
        self._catch_up(view)
        return "[$muted] · [/]".join(self._words())

    def action_search(self) -> None:
        self._filter.open(self._window.cursor)
        self.screen.refresh_bindings()
        self.redraw()

    def action_next_hit(self) -> None:
        self._check_search()
        self._go_to_hit(1)

    def action_earlier_hit(self) -> None:
        self._check_search()
        self._go_to_hit(-1)

    def _check_search(self, wants_hit: bool = True) -> None:
        if not self._list.wanted.search.text:
            raise RltuiError(self.with_keys("nothing is searched for: <log.search>"))
        if wants_hit and not self._list.hits:
            raise RltuiError("no line matches the search")

    def action_only_hits(self) -> None:
        self._check_search(wants_hit=False)
        self._choose(only_hits=not self._list.wanted.only_hits)

    def action_worker(self) -> None:
        if not self._list.workers:
            raise RltuiError("no line is of a worker")
        self._choose(worker=_following(self._list.wanted.worker, sorted(self._list.workers), None))

    def action_flag(self) -> None:
        if not self._list.flags:
            raise RltuiError("no line is of a debug flag")
        self._choose(flag=_following(self._list.wanted.flag, sorted(self._list.flags), ""))

    def action_open(self) -> None:
        if not len(self._list):
            raise RltuiError("no line is shown")
        entry = self._list.entries[self._window.place]
        self.app.push_screen(TextDialog(entry.source or "Trainer's output", partial(opened_lines, entry)))

    def action_clear(self) -> None:
        self._filter = TypedFilter[int]()
        self._choose(worker=None, flag="", search=Pattern(), only_hits=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """esc is the screen's while there is nothing to clear."""
        return self._list.wanted.narrowed if action == "clear" else True

    def move(self, rows: int) -> None:
        """By entries; negative is up. At the end it follows again."""
        self._window.move(rows)
        self.redraw()

    def on_key(self, event: events.Key) -> None:
        page = max(self.size.height - 1, 1)
        steps = {**STEPS, "pageup": -page, "pagedown": page, "home": -len(self._list), "end": len(self._list)}
        if self._filter.typing and event.key not in MOVES:
            self._type(event)
        elif event.key in steps:
            self.move(steps[event.key])
        else:
            return
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
        """The cursor shows, and a search is typed, while the pane has the focus."""
        super().watch_has_focus(has_focus)
        self._filter.typing = self._filter.typing and has_focus
        self.redraw()

    @property
    def typing(self) -> bool:
        return self._filter.typing

    def _type(self, event: events.Key) -> None:
        """A key while the search is typed; hits show with every one."""
        outcome = self._filter.press(event.key, event.character)
        self._choose(search=self._filter.pattern)
        if outcome == "kept":
            self._go_to_hit(-1, from_end=True)
        elif outcome == "dropped":
            self._window.go_back(self._filter.before)
            self.redraw()
        if not self._filter.typing:
            self.screen.refresh_bindings()

    def _wanted_search(self) -> Pattern:
        return self._list.wanted.search

    def _choose(self, **changes: object) -> None:
        number = self._window.number
        self._list.choose(replace(self._list.wanted, **changes))  # type: ignore[arg-type]  # fields by name
        self._window.stand_near(number)
        self.redraw()

    def _go_to_hit(self, step: int, from_end: bool = False) -> None:
        number = self._list.hit(self._list.total if from_end else self._window.number, step)
        if number is not None:
            self._window.stand(self._list.index(number))
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
        if wanted.search.text or self._filter.typing:
            found.append(self._search_words(wanted))
        found += [f"[$primary]{word}[/]" for word in _filter_words(wanted)]
        return [*found, f"[$muted]{wanted.level} and above[/]", f"[$muted]{self._count()}[/]"]

    def _count(self) -> str:
        """`12 of 57 lines`: those that are listed of those that are kept; what is older is in the journal alone."""
        held = formatting.plural(self._list.held, "line")
        older = self._list.total - self._list.held
        left_out = f", {older:,} older ones in journal.jsonl" if older else ""
        return (held if len(self._list) == self._list.held else f"{len(self._list):,} of {held}") + left_out

    def _search_words(self, wanted: LogFilter) -> str:
        text = wanted.search.text.replace("[", r"\[")
        caret = "▏" if self._filter.typing else ""
        if wanted.search.problem:
            problem = wanted.search.problem.replace("[", r"\[")
            return f"[$error]/{text}{caret} {problem}[/]"
        return f"[$primary]/{text}{caret} {formatting.plural(len(self._list.hits), 'hit')}[/]"

    def _nothing(self) -> str:
        wanted = self._list.wanted
        return " · ".join([f"nothing of level {wanted.level} or above", *_filter_words(wanted)])


def _loud(words: str) -> str:
    """As a pill, in the lower border."""
    return f"[bold $background on $accent] {words} [/]"


def _filter_words(wanted: LogFilter) -> list[str]:
    words = [f"worker {wanted.worker}"] if wanted.worker is not None else []
    words += [wanted.flag] if wanted.flag else []
    return [*words, *(["hits only"] if wanted.only_hits and wanted.search.text else [])]


def _following(now: Value, values: Sequence[Value], none: Value) -> Value:
    """The value after `now`, in a ring with `none`."""
    ring = [none, *values]
    return ring[(ring.index(now) + 1) % len(ring)] if now in ring else none


def _under_cursor(line: Line, width: int) -> Line:
    """A hit keeps its own background; a sign too, for those who see none."""
    if len(line) > 2 and len(line[1][0]) == len(CURSOR):
        line = (line[0], (line[1][0][0] + CURSOR[1], line[1][1]), *line[2:])
    return tuple((text, f"cursor {role}".strip()) for text, role in fit(line, width))
