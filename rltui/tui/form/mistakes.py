"""Where the mistakes of a profile stand among the form's rows. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rltui.profile.source import KeyPath, show_key
from rltui.tui.form.rows import FormRow, RowKind

Identity = tuple[RowKind, KeyPath]


def hiding(keys: Collection[str], rows: Iterable[FormRow]) -> set[KeyPath]:
    """The rows that have to be open for these keys to be seen."""
    return {row.path for row in rows if any(key.startswith(show_key(row.path)) for key in keys)}


def after(here: object, rows: Mapping[Identity, FormRow], wrong: Collection[Identity]) -> Identity | None:
    """The next wrong row behind the cursor's, else the first; None where there is none."""
    order = {identity: index for index, identity in enumerate(rows)}
    place = next((index for identity, index in order.items() if identity == here), 0)
    return min(wrong, key=lambda identity: (order[identity] <= place, order[identity]), default=None)
