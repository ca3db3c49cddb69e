"""Regular-expression filters: the pattern, the state of a typed line in a pane, the input line below a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, Literal, Protocol, TypeVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Input

from rltui.tui.expression import Expression, TooSlow
from rltui.tui.text import clean, crop_text
from rltui.tui.widgets.list_view import ListView

PLACEHOLDER = "a regular expression; ! inverts; enter sets it, esc clears it"
HINT = "a regular expression, ! inverts"
CLEARS = "esc clears"
BORDER = 6  # columns of a border that are no room for its words
LEAST_TEXT = 8  # columns that the filter's own text keeps
PASTE = "paste"  # the key by which a pane is told what was pasted
MOVES = {"up": -1, "down": 1}  # in what is left, while the line is open
Place = TypeVar("Place")
# typed: another pattern; kept, dropped: the line is closed; ignored: the key types nothing
KeyResult = Literal["typed", "kept", "dropped", "ignored"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern as typed. One that is no regular expression, or takes too long, matches everything and says why."""

    text: str = ""

    @property
    def inverted(self) -> bool:
        return self.text.startswith("!")

    @property
    def problem(self) -> str:
        """Why nothing is searched with it, to show; empty where it is."""
        return self._expression.problem

    @property
    def _expression(self) -> Expression:
        return _expression(self.text.removeprefix("!"))

    def matches(self, *texts: str) -> bool:
        """Whether it is found in any of the texts (`!`: in none), upper and lower case alike."""
        expression = self._expression
        if expression.problem or not expression.text:
            return True
        try:
            return any(expression.places(text, most=1) for text in texts) is not self.inverted
        except TooSlow:
            return True

    def places(self, text: str) -> Sequence[tuple[int, int]]:
        """(start, end) of what it finds, to be marked: nothing where it is inverted, for that is not there."""
        expression = self._expression
        if expression.problem or not expression.text or self.inverted:
            return ()
        try:
            return expression.places(text)
        except TooSlow:
            return ()


@lru_cache(64)
def _expression(text: str) -> Expression:
    return Expression(text)


@dataclass(slots=True)
class TypedFilter(Generic[Place]):
    """State of a filter typed into a pane's border.

    before: where the owner's cursor stood when the line was opened, to go back to when the filter is dropped.
    """

    pattern: Pattern = field(default_factory=Pattern)
    typing: bool = False
    before: Place | None = None

    def open(self, here: Place | None) -> None:
        self.typing, self.before = True, here

    def press(self, key: str, character: str | None) -> KeyResult:
        """A key while the line is open."""
        if key in ("enter", "escape"):
            self.typing = False
            self.pattern = Pattern() if key == "escape" else self.pattern
            return "dropped" if key == "escape" else "kept"
        text = typed_text(self.pattern.text, key, character)
        if text is None:
            return "ignored"
        self.pattern = Pattern(text)
        return "typed"


def typed_text(text: str, key: str, character: str | None) -> str | None:
    """The text after a key; None where the key types nothing."""
    if key == "backspace":
        return text[:-1]
    if key == "ctrl+u":
        return ""
    if character is None or not character.isprintable() or (len(character) != 1 and key != PASTE):
        return None
    return text + character


def one_line(pasted: str) -> str:
    """Of what is pasted, as a line to type in takes it."""
    return "".join(filter(str.isprintable, next(iter(pasted.splitlines()), "")))


class Filtered(Protocol):
    """What fills the list."""

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """Show what matches. goes: the key of the row that the cursor goes to; None: it stays."""

    def matching(self) -> tuple[Sequence[object], int]:
        """(keys of the rows that match, in their order; how many there are without the filter)."""


class FilterLine(Input):
    """Input line that filters a list as one types.

    `/` opens it with what was typed before. Each key filters at once; the cursor stays on what it stands on, or goes to the
    first row found; up and down move in what is left. Enter keeps the filter and goes back to the list. Esc in the line takes
    the filter away, and the cursor back to where it was when the line was opened; esc in the list takes it away too, and the
    cursor stays.
    """

    def __init__(self, name: str, rows: ListView, filtered: Filtered) -> None:
        super().__init__(id=name, compact=True, placeholder=PLACEHOLDER)
        self._rows, self._filtered = rows, filtered
        self._shown = Pattern()
        self._before: object | None = None  # where the cursor stood when it was opened

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    def open(self) -> None:
        """To type another filter."""
        self._before = self._rows.key
        self.add_class("open")
        self.focus()
        self.update_border()

    def drop(self) -> bool:
        """No filter, and back to the list; False where there was none, nor a line."""
        if not self.is_open and not self._shown.text:
            return False
        goes = self._before if self.is_open else self._rows.key
        self.value = ""
        self._filter(goes)
        self._close()
        return True

    def update_border(self) -> None:
        """The list's lower border: the filter and how much it leaves. Called by whoever has filled the list, too."""
        self._rows.border_subtitle = self._words()

    def reapply(self) -> None:
        """What there is to be filtered has only come now: what is typed holds for it too."""
        if self._shown.text:
            self._filter()

    def _close(self) -> None:
        self.remove_class("open")
        self._rows.focus()
        self.update_border()

    def _filter(self, goes: object | None = None) -> None:
        self._shown, before = Pattern(self.value), self._rows.key
        self._filtered.filter_by(self._shown, goes)
        keys, _ = self._filtered.matching()
        if self._shown.text and not self._shown.problem and keys and before not in keys:
            self._rows.go_to(keys[0])
        self.update_border()

    def _words(self) -> Content:
        if not self._shown.text:
            return Content("")
        if self._shown.problem:
            return Content.assemble((clean(self._shown.problem), "$error"))
        keys, of = self._filtered.matching()
        found = f"/{clean(self._shown.text)}  {len(keys)} of {of}"
        words = f"{found} · enter sets it · esc clears" if self.is_open else f"{found} · esc clears"
        room = self._rows.outer_size.width - BORDER
        return Content(words if cell_len(words) <= room else f"{found} · esc clears")

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was typed before esc may be told after it: what stands in the line now counts."""
        event.stop()
        if self.value != self._shown.text:
            self._filter()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()

    def on_key(self, event: events.Key) -> None:
        if event.key in MOVES:
            self._rows.move(MOVES[event.key])
            event.stop()


def filter_words(typed: TypedFilter[object], shown: int, of: int, usual: str, room: int) -> str:
    """Markup of at most `room` columns: `/jump▏ 24 of 90, 66 hidden · enter sets it · esc clears`.

    usual: what the border says without a filter (markup); it follows where there is room for it.
    """
    caret = "▏" if typed.typing else ""
    if typed.pattern.problem:
        text = _end(typed.pattern.text, room, CLEARS)
        problem = crop_text(typed.pattern.problem, max(room - cell_len(f"/{text}{caret} "), 1))
        return f"[$error]{_escaped(f'/{text}{caret} {problem}')}[/]"
    forms = _forms(typed, shown, of)
    words = next((words for words in forms if cell_len(f"/{typed.pattern.text}{caret} {words}") <= room), forms[-1])
    text = _end(typed.pattern.text, room, words)
    found = f"[$primary]{_escaped(f'/{text}{caret}')} [/][$muted]{words}[/]"  # a blank first: \\[ would be no markup
    whole = f"{found}[$muted] · [/]{usual}"
    return whole if usual and Content.from_markup(whole).cell_length <= room else found


def _forms(typed: TypedFilter[object], shown: int, of: int) -> list[str]:
    """From the whole to the briefest: how to clear it is the last to go."""
    text = typed.pattern.text
    count = f"{shown:,} of {of:,}" if text else HINT
    hidden = f", {of - shown:,} hidden" if text else ""
    keeps = "enter sets it · " if typed.typing else ""
    return [f"{count}{hidden} · {keeps}{CLEARS}", f"{count}{hidden} · {CLEARS}", f"{count} · {CLEARS}", CLEARS]


def _end(text: str, room: int, beside: str) -> str:
    """The end of what is typed, where the caret is."""
    text, fits = clean(text), max(room - cell_len(beside) - len("/▏ "), LEAST_TEXT)
    while text and cell_len(text) > fits:
        text = "…" + text.removeprefix("…")[1:]
    return text


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")
