"""A profile's text while it is being edited: single values over a base text, so that a value set back is the old text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from rltui.errors import RltuiError
from rltui.profile.edit import edit
from rltui.profile.elements import add_element, remove_entry
from rltui.profile.problems import KeyPath, show_key
from rltui.profile.written import Written, written

Changes = tuple[tuple[KeyPath, str | None], ...]


@dataclass(frozen=True)
class Draft:
    """Frozen: each change makes another one, so that undo is a list of drafts. changes: in the order they were made."""

    base: str
    changes: Changes = field(default=())

    @cached_property
    def text(self) -> str:
        """As it will be written."""
        return edit(self.base, {show_key(path): value for path, value in self.changes}) if self.changes else self.base

    @cached_property
    def written(self) -> Written:
        return written(self.text)

    @cached_property
    def _before(self) -> Written:
        return written(self.base)

    def set(self, path: KeyPath, value: str) -> Draft:
        """value: TOML text, written just so. RltuiError for a key that cannot be."""
        return self._changed(path, None if value == self._before.raw(path) else (path, value))

    def unset(self, path: KeyPath) -> Draft:
        """The key taken out, with all below it: its default holds."""
        if self._before.value(path) is None:
            return self._changed(path, None)
        if path in self.written.lines.entries and self._is_inline(path):
            return Draft(remove_entry(self.text, path))
        return self._changed(path, (path, None))

    def add(self, path: KeyPath, element: str) -> Draft:
        """One more element at the end of a list. A list that is not written is begun with it."""
        if self.written.value(path) is None:
            return self.set(path, f"[{element}]")
        return Draft(add_element(self.text, path, element))

    def remove(self, path: KeyPath) -> Draft:
        """Without an element of a list."""
        return Draft(remove_entry(self.text, path))

    def _changed(self, path: KeyPath, change: tuple[KeyPath, str | None] | None) -> Draft:
        kept = tuple(old for old in self.changes if old[0][: len(path)] != path)
        draft = Draft(self.base, (*kept, change) if change is not None else kept)
        if draft.written.problem and not self.written.problem:
            raise RltuiError(f"{show_key(path)} cannot be set so: {draft.written.problem}", exit_code=2)
        return draft

    def _is_inline(self, path: KeyPath) -> bool:
        """In an inline table, or an element of a list: there tomlkit leaves blanks and commas behind."""
        holder = self.written.raw(path[:-1]) if len(path) > 1 else None
        return holder is not None and holder[:1] in "{[" and holder != "{…}"
