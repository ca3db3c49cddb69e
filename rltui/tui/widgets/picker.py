"""List inside a pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rltui.tui.text import SOLID, Line, crop, fit, pad, text_line
from rltui.tui.widgets.filter_bar import MOVES, Pattern, TypedFilter

PickerResult = Literal["taken", "chosen", "closed", "ignored"]
_MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}


@dataclass(frozen=True, slots=True)
class PickerEntry:
    """key: what it stands for. section: the heading under which it stands."""

    key: str
    label: str
    note: str = ""
    section: str = ""


@dataclass(slots=True)
class Picker:
    """marked: None where one is chosen by enter; else those that space has marked, in the order of the list."""

    entries: Sequence[PickerEntry]
    title: str
    hint: str
    marked: set[str] | None = None
    cursor: int = 0
    filter: TypedFilter[int] = field(default_factory=TypedFilter[int])
    first: int = 0
    _room: int = 10

    @property
    def shown(self) -> list[PickerEntry]:
        """Those that the filter lets through."""
        return [entry for entry in self.entries if self.filter.pattern.matches(entry.key, entry.label, entry.note)]

    @property
    def key(self) -> str | None:
        """What the cursor stands on."""
        shown = self.shown
        return shown[min(self.cursor, len(shown) - 1)].key if shown else None

    def marked_keys(self) -> list[str]:
        """The marked ones in the list's order."""
        return [entry.key for entry in self.entries if entry.key in (self.marked or ())]

    def press(self, key: str, character: str | None) -> PickerResult:
        """chosen: enter; closed: esc with nothing left to clear."""
        if self.filter.typing and key not in MOVES:
            self._type(key, character)
            return "taken"
        if key in ("enter", "escape"):
            return self._end(key)
        page = max(self._room - 1, 1)
        moves = {**_MOVES, "pageup": -page, "pagedown": page, "home": -len(self.entries), "end": len(self.entries)}
        if key in moves:
            self.cursor = min(max(self.cursor + moves[key], 0), max(len(self.shown) - 1, 0))
        elif key == "slash":
            self.filter.open(self._place)
        elif key == "space" and self.marked is not None and self.key is not None:
            self.marked ^= {self.key}
        else:
            return "ignored"
        return "taken"

    def _end(self, key: str) -> PickerResult:
        if key == "enter":
            return "chosen"
        if self.filter.pattern.text:
            at = self._place
            self.filter.pattern, self.cursor = Pattern(), at
            return "taken"
        return "closed"

    @property
    def _place(self) -> int:
        """Of what the cursor stands on, in the whole list."""
        return next((place for place, entry in enumerate(self.entries) if entry.key == self.key), 0)

    def _type(self, key: str, character: str | None) -> None:
        """The cursor stays on what it stands on, or goes to the first that is found."""
        here = self.key
        outcome = self.filter.press(key, character)
        if outcome == "typed":
            places = [place for place, entry in enumerate(self.shown) if entry.key == here]
            self.cursor = places[0] if places else 0
        elif outcome == "dropped":
            self.cursor = self.filter.before or 0

    def lines(self, width: int, height: int) -> list[Line]:
        """At most `height` lines; the cursor's row is in view."""
        head = [crop(line, width) for line in self._head()]
        self._room = max(height - len(head), 1)
        rows, at = self._rows(width)
        self.first = min(max(min(self.first, at), at - self._room + 1), max(len(rows) - self._room, 0))
        if at <= 1 and at < self._room:
            self.first = 0  # with its heading
        return [*head, *rows[self.first : self.first + self._room]][:height]

    def _head(self) -> list[Line]:
        lines: list[Line] = [((self.title, "title"), (f"  {self.hint}", "muted"))]
        pattern, typing = self.filter.pattern, self.filter.typing
        if typing or pattern.text:
            count = f"  {len(self.shown)} of {len(self.entries)}"
            note = (f"  {pattern.problem}", "bad") if pattern.problem else (count, "muted")
            lines.append((("/", "key"), (pattern.text, "strong"), ("▏" if typing else "", "key"), note))
        return lines

    def _rows(self, width: int) -> tuple[list[Line], int]:
        """All rows with their headings, and the place of the cursor's among them."""
        rows: list[Line] = []
        section, at = None, 0
        shown = self.shown
        names = min(max((len(entry.label) for entry in shown), default=0), max(width // 2, 12))
        for index, entry in enumerate(shown):
            if entry.section != section:
                section = entry.section
                rows += [crop(text_line(section, "strong"), width)] if section else []
            is_here = index == min(self.cursor, len(shown) - 1)
            at = len(rows) if is_here else at
            rows.append(self._row(entry, names, width, is_here))
        return rows or [crop(text_line("nothing matches", "muted"), width)], at

    def _row(self, entry: PickerEntry, names: int, width: int, is_here: bool) -> Line:
        mark = "" if self.marked is None else "[x] " if entry.key in self.marked else "[ ] "
        line = fit(
            (
                (SOLID if is_here else " ", "key"),
                (mark, "key"),
                (pad(entry.label, names + 2), ""),
                (entry.note, "muted"),
            ),
            width,
        )
        return tuple((text, f"{role} cursor".strip()) for text, role in line) if is_here else line
