"""Finding fields by name or by what is said of them: the rows that a pattern leaves, whatever is folded. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.profile.edit import Written
from rltui.profile.source import KeyPath, show_key
from rltui.tui.form.reference import Reference
from rltui.tui.form.rows import FormRow, form_rows, section_names
from rltui.tui.pattern import Pattern

HOLDERS = ("section", "element", "group")  # rows that have others below them


def all_open(reference: Reference, text: Written) -> frozenset[KeyPath]:
    """What has to be open for every row to be there."""
    is_open: frozenset[KeyPath] = frozenset((name,) for name in section_names(reference))
    while True:
        rows = form_rows(reference, text, is_open)
        more = is_open | {row.path for row in rows if row.kind == "element"}
        if more == is_open:
            return is_open
        is_open = more


def found(rows: Sequence[FormRow], pattern: Pattern) -> list[FormRow]:
    """The rows that match, each below the rows that hold it. rows: all of them."""
    kept: set[object] = set()
    above: list[FormRow] = []
    for row in rows:
        while above and above[-1].depth >= row.depth:
            above.pop()
        if matches(row, pattern):
            kept |= {row.identity, *(holder.identity for holder in above)}
        if row.kind in HOLDERS:
            above.append(row)
    return [row for row in rows if row.identity in kept]


def matches(row: FormRow, pattern: Pattern) -> bool:
    """By its key or its doc. Headings, and rows that add, are no fields."""
    return row.kind in ("field", "element") and pattern.matches(show_key(row.path), row.doc)


def holding(rows: Sequence[FormRow], wanted: FormRow) -> set[KeyPath]:
    """The rows that have to be open for this one to be seen. rows: all of them."""
    above: list[FormRow] = []
    for row in rows:
        while above and above[-1].depth >= row.depth:
            above.pop()
        if row.identity == wanted.identity:
            break
        if row.kind in HOLDERS:
            above.append(row)
    return {row.path for row in above}
