"""Filters of lists and panes: the pattern, what a border says of it, and the bar that it is typed in, one for a screen."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Label

from rltui.tui.text import clean, crop_text
from rltui.tui.widgets.line_widget import LineWidget

PLACEHOLDER = "a regular expression; ! inverts"
HINT = "enter closes · esc clears"
AROUND = 6  # columns of a border that are no room for its words
LEAST_TEXT = 8  # columns that the filter's own text keeps
MOVES = {"up": -1, "down": 1}  # in what is left, while the bar is open
FOLLOWS = "follows the end"  # what a cursor stands on that follows the end of its list
LONGEST = (10_000, 2_000, 400, 200)  # searched characters of a text, by the repeats that each multiply the work
PATIENCE = 0.25  # seconds of processor time for all slow searches of a pattern
SLOW = 0.001  # from here on one counts
_LITERAL = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")  # escapes and classes: no repeat in them is one
_ENDLESS = re.compile(r"\)[*+{]|\(\?(?:#|\w*x)")  # a repeated group, also behind a comment or in verbose syntax


@dataclass(slots=True, unsafe_hash=True)
class Pattern:
    """Regular expression, or after `!` what must not be found. One that cannot be used matches everything; `problem` says why.

    Python's re cannot be interrupted and tries each way to cut a text in pieces, so groups are not repeated, more repeats
    search less text, and a pattern that is slow nevertheless is given up between two texts.
    """

    text: str = ""
    problem: str = field(default="", init=False, compare=False)
    _expression: re.Pattern[str] = field(default=re.compile(""), init=False, compare=False)
    _longest: int = field(default=0, init=False, compare=False)
    _spent: float = field(default=0.0, init=False, compare=False)

    def __post_init__(self) -> None:
        expression = self.text.removeprefix("!")
        try:
            self._expression = re.compile(expression, re.IGNORECASE)
        except (re.error, ValueError, RecursionError, OverflowError) as error:
            self.problem = f"✗ no regular expression: {error}"
            return
        plain = _LITERAL.sub("x", expression)
        repeats = sum(map(plain.count, "*+{"))
        if _ENDLESS.search(plain) or repeats >= len(LONGEST):
            self.problem = f"✗ could take for ever: no repeated group, {len(LONGEST) - 1} repeats at most"
        else:
            self._longest = LONGEST[repeats]

    @property
    def inverted(self) -> bool:
        return self.text.startswith("!")

    def matches(self, *texts: str) -> bool:
        """Whether it is found in any of the texts (`!`: in none), upper and lower case alike."""
        if self.problem or not self._expression.pattern:
            return True
        return any(map(self._is_in, texts)) is not self.inverted or bool(self.problem)

    def _is_in(self, text: str) -> bool:
        begun = time.thread_time()
        found = not self.problem and self._expression.search(text[: self._longest]) is not None
        spent = time.thread_time() - begun
        self._spent += spent if spent > SLOW else 0.0
        if self._spent > PATIENCE:
            self.problem = "✗ takes too long to look for"
        return found

    def places(self, text: str) -> Sequence[tuple[int, int]]:
        """(start, end) of what it finds, to be marked: nothing where it is inverted, for that is not there."""
        if self.problem or self.inverted or not self.text:
            return ()
        return [found.span() for found in self._expression.finditer(text[: self._longest])]


class Filtered(Protocol):
    """List whose rows a filter hides."""

    @property
    def pattern(self) -> Pattern:
        """What its rows must match."""

    @property
    def standing(self) -> object:
        """The key of the row under the cursor; FOLLOWS where the cursor follows the end; None where there is no row."""

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        """Show what matches. goes: the key of the row that the cursor goes to; None: it stays, or goes to the first found."""

    def matching(self) -> tuple[Sequence[object], int]:
        """(keys of the rows that match, in their order; how many there are without the filter)."""

    def move(self, rows: int) -> None:
        """The cursor; negative is up."""


def clear_filter(filtered: Filtered) -> bool:
    """Show all rows again; the cursor stays. False where there is no filter."""
    there = bool(filtered.pattern.text)
    if there:
        filtered.filter_by(Pattern(), filtered.standing)
    return there


def filter_words(pattern: Pattern, found: int, of: int, room: int, usual: str = "") -> str:
    """Markup for a border of `room` columns: `/jump 24 of 90 · esc clears`. usual: follows where there is room for it."""
    words = (pattern.problem or f"{found:,} of {of:,} · esc clears").replace("[", r"\[")
    text = crop_text(clean(pattern.text), max(room - cell_len(f"/ {words}"), LEAST_TEXT)).replace("[", r"\[")
    role = "$error" if pattern.problem else "$muted"
    shown = f"[$primary]/{text} [/][{role}]{words}[/]"  # a blank first: \\[ would be no markup
    whole = f"{shown}[$muted] · [/]{usual}"
    return whole if usual and Content.from_markup(whole).cell_length <= room else shown


class FilterBar(Horizontal):
    """Line over the footer in which the filter of one list is typed; shown while it has the focus.

    Each key filters at once; up and down move in what is left. Enter keeps the filter, esc takes it away and puts the cursor
    back. What cannot be used is named here, and the list stays as it is.
    """

    def __init__(self) -> None:
        super().__init__(id="filter-bar")
        self.line = Input(id="filter", compact=True, placeholder=PLACEHOLDER)
        self.owner: LineWidget | None = None  # whose list it is; it gets the focus back
        self._note = Label(HINT, id="filter-note", markup=False)
        self._filtered: Filtered | None = None
        self._before: object = None  # what the cursor stood on when the bar was opened

    def compose(self) -> ComposeResult:
        yield Label("/")
        yield self.line
        yield self._note

    def open(self, owner: LineWidget, filtered: Filtered) -> None:
        """Type another filter, beginning with the present one."""
        self.owner, self._filtered, self._before = owner, filtered, filtered.standing
        self._set(filtered.pattern.text)
        self.screen.set_focus(self.line)

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was typed before esc may be told after it: what stands in the line now counts."""
        event.stop()
        self._apply()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._apply():
            self.screen.set_focus(self.owner)

    def on_key(self, event: events.Key) -> None:
        if self._filtered is None or self.owner is None or event.key not in (*MOVES, "escape"):
            return
        event.stop()
        if event.key == "escape":
            self._set("")
            self._filtered.filter_by(Pattern(), self._before)
            self.screen.set_focus(self.owner)
        else:
            self._filtered.move(MOVES[event.key])
            self.owner.repaint()

    def on_descendant_focus(self) -> None:
        self._mark_owner(typing=True)

    def on_descendant_blur(self) -> None:
        self._mark_owner(typing=False)

    def _mark_owner(self, *, typing: bool) -> None:
        if self.owner is not None:
            self.owner.set_class(typing, "filtering")
            self.owner.watch_has_focus(self.owner.has_focus)

    def _set(self, text: str) -> None:
        with self.line.prevent(Input.Changed):
            self.line.value = text
        self._say("")

    def _apply(self) -> bool:
        """Filter by what is typed; False where that cannot be used."""
        if self._filtered is None or self.owner is None:
            return True
        pattern, before = Pattern(self.line.value), self._filtered.pattern
        if pattern != before and not pattern.problem:
            self._filtered.filter_by(pattern)
            if pattern.problem:  # given up on the way
                self._filtered.filter_by(before)
            self.owner.repaint()
        self._say(pattern.problem)
        return not pattern.problem

    def _say(self, problem: str) -> None:
        self._note.update(problem or HINT)
        self._note.set_class(bool(problem), "problem")


def is_attended(widget: Widget) -> bool:
    """Whether it has the focus, or its filter is being typed."""
    return widget.has_focus or widget.has_class("filtering")


def typed_for(focused: Widget | None) -> Widget | None:
    """What has the focus, or whose filter has it."""
    bar = focused.parent if focused is not None else None
    return bar.owner if isinstance(bar, FilterBar) else focused
