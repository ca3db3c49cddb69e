"""List of the form's rows: which are folded away, which a filter leaves, where the next one found or wrong stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from textual.message import Message

from rltui.profile.edit import parse_text
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath
from rltui.tui.checks.schema import Reference
from rltui.tui.form.fields import FormRow, Identity, form_rows
from rltui.tui.form.render import row_line
from rltui.tui.form.session import TextState
from rltui.tui.text import Line, text_line
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import FilteredList, Row

NOTHING: Line = text_line("  No field has that in its name or its explanation; esc clears the filter.", "muted")
NOT_YET: Line = text_line("  No fields yet …", "muted")
NARROWEST = 40  # columns that rows are made for before the list has a size
FOLDED = ("section", "element")  # kinds of rows that hide what lies under them
HOLDERS = (*FOLDED, "group")  # kinds of rows that have others below them
NestedRow = tuple[FormRow, tuple[FormRow, ...]]


def matches(row: FormRow, pattern: Pattern) -> bool:
    """By its key, whole or as the row shows it, or its doc. Headings, and rows that add, are no fields."""
    return row.kind in ("field", "element") and pattern.matches(show_key(row.path), row.label, row.doc)


def with_holders(rows: Iterable[FormRow]) -> list[NestedRow]:
    """Each row with those that hold it, the outermost first."""
    above: list[FormRow] = []
    found: list[NestedRow] = []
    for row in rows:
        while above and above[-1].depth >= row.depth:
            above.pop()
        found.append((row, tuple(above)))
        if row.kind in HOLDERS:
            above.append(row)
    return found


def matching_rows(rows: Sequence[NestedRow], pattern: Pattern) -> list[FormRow]:
    """The rows that match, each below the rows that hold it."""
    shown = {each.identity for row, above in rows if matches(row, pattern) for each in (row, *above)}
    return [row for row, _ in rows if row.identity in shown]


def next_of(wanted: Collection[Identity], here: object, rows: Iterable[Identity]) -> Identity | None:
    """The next wanted row behind the cursor's, else the first; None where there is none."""
    order = {identity: index for index, identity in enumerate(rows)}
    place = next((index for identity, index in order.items() if identity == here), 0)
    return min(wanted, key=lambda identity: (order[identity] <= place, order[identity]), default=None)


class FieldList(FilteredList):
    """is_open: what is not folded away, filter or none. fields: the rows shown."""

    class Refilled(Message):
        """Other rows are shown."""

    def __init__(self) -> None:
        super().__init__(name="form-rows", classes="pane")
        self.border_title = "Profile"
        self.is_open: frozenset[KeyPath] = frozenset()
        self.fields: Mapping[Identity, FormRow] = {}
        self._reference, self._state = Reference(), TextState(parse_text(""), parse_text(""))
        self._rows: Sequence[NestedRow] = ()  # all, folded away or not

    @property
    def row(self) -> FormRow | None:
        """Under the cursor."""
        key = self.key
        return self.fields.get(key) if isinstance(key, tuple) else None

    @property
    def filtered(self) -> bool:
        return bool(self.pattern.text)

    def show(self, reference: Reference, state: TextState, wanted: Identity | None = None) -> None:
        """Fill the list anew. wanted: the row that the cursor goes to; None: it stays."""
        if reference is not self._reference or state.now is not self._state.now:
            self._rows = with_holders(form_rows(reference, state.now)) if reference.keys else ()
        self._reference, self._state, is_open = reference, state, self.is_open
        if self.filtered:
            found = matching_rows(self._rows, self.pattern)
            is_open = frozenset(row.path for row, _ in self._rows)
        else:
            found = [
                row for row, above in self._rows if all(each.path in is_open for each in above if each.kind in FOLDED)
            ]
        self.fields = {row.identity: row for row in found}
        shown, width = replace(state, is_open=is_open), max(self.size.width, NARROWEST)
        lines = [Row(row.identity, row_line(row, shown, width)) for row in found]
        self.set_rows(lines or [Row(None, NOTHING if reference.keys else NOT_YET)], wanted)

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        """Without a filter, what holds the row under the cursor is open."""
        wanted = goes if goes is not None else self.key
        if not pattern.text:
            self.unfold(*(each.path for row, above in self._rows if row.identity == wanted for each in above))
        super().filter_by(pattern, goes)
        self.post_message(self.Refilled())

    def fill(self, goes: object = None) -> None:
        self.show(self._reference, self._state)
        self.go_to(goes)

    def matching(self) -> tuple[Sequence[object], int]:
        """Headings, and rows that add, are not counted."""
        rows = [row for row, _ in self._rows if row.kind in ("field", "element")]
        return [row.identity for row in rows if matches(row, self.pattern)], len(rows)

    def unfold(self, *paths: KeyPath) -> None:
        """They hide nothing from now on."""
        self.is_open |= set(paths)

    def fold(self) -> bool:
        """Fold what is under the cursor, or open it; False where it hides nothing, or a filter is on."""
        row = self.row
        if row is None or self.filtered or row.kind not in FOLDED:
            return False
        self.is_open ^= {row.path}
        return True

    @property
    def identities(self) -> frozenset[Identity]:
        """Of all rows, shown or not."""
        return frozenset(row.identity for row, _ in self._rows)

    def go_to_new(self, before: Collection[Identity]) -> None:
        """The cursor to the first row that was not among these."""
        if new := [row.identity for row, _ in self._rows if row.identity not in before]:
            self.reveal(new[0])

    def go_to_problem(self) -> None:
        """The cursor to the next row that is wrong; what hides any is opened."""
        keys = [problem.key for problem in self._state.errors]
        for row, above in self._rows:
            if any(key.startswith(show_key(row.path)) for key in keys):
                self.unfold(row.path, *(each.path for each in above))
        self.fill()
        state = replace(self._state, is_open=self.is_open)
        wrong = [identity for identity, row in self.fields.items() if state.problems(row)]
        self.go_to(next_of(wrong, self.key, self.fields))
