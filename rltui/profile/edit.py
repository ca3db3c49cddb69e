"""Edits of a profile's text that leave comments and layout alone; drafts that can be undone."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath, TomlLines, find_lines, key_path
from rltui.profile.toml_text import toml_key, toml_string, toml_values

HEADERS = "it is written with [[…]] headers: change it in the TOML view"
Changes = tuple[tuple[KeyPath, str | None], ...]


def edit(text: str, changes: Mapping[str, str | None], comment: str = "") -> str:
    """The text with keys set or, by None, removed.

    changes: `section.key` or `resets[0].weight` → TOML value as text, written just so (`2e-4` stays `2e-4`); what is no
    TOML value becomes a string. comment: in the place of those behind the old values, which stay where it is empty. Raises
    RltuiError for a key that cannot be, or text that is not TOML.
    """
    try:
        safe_io.check_text(text)
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _change(document, key, value, comment)
        return _with_ends_of(text, tomlkit.dumps(document))
    except (ValueError, TOMLKitError) as error:
        raise RltuiError(f"the profile is not TOML: {error}", exit_code=2) from error


def _with_ends_of(text: str, edited: str) -> str:
    """New lines end as all others do: tomlkit ends its own with a line feed alone."""
    ends_alone = re.compile(r"(?<!\r)\n")
    return edited if "\r\n" not in text or ends_alone.search(text) else ends_alone.sub("\r\n", edited)


def _change(document: Any, key: str, value: str | None, comment: str) -> None:
    parts = key_path(re.sub(r"\[(\d+)\]", r".\1", key))
    if not parts:
        raise RltuiError(f"{key!r} is no key", "write section.key", exit_code=2)
    holder: Any = document
    for part in parts[:-1]:
        holder = _below(holder, part, key, make=value is not None)
        if holder is None:
            return
    last: Any = _index(holder, parts[-1], key)
    if value is None:
        if not isinstance(holder, list) and last in holder:
            del holder[last]
    else:
        _set(holder, last, _item(value), comment)


def _below(holder: Any, part: str, key: str, make: bool) -> Any:
    index = _index(holder, part, key)
    if isinstance(index, str) and index not in holder:
        if not make:
            return None
        holder[index] = tomlkit.table()
    below = holder[index]
    if not isinstance(below, MutableMapping | list):
        raise RltuiError(f"{key}: {part} is a value, and has no keys", exit_code=2)
    return below


def _index(holder: Any, part: str, key: str) -> str | int:
    if not isinstance(holder, list):
        return part
    if not part.isdecimal() or int(part) >= len(holder):
        raise RltuiError(f"{key}: no element {part} in a list of {len(holder)}", exit_code=2)
    return int(part)


def _item(text: str) -> Any:
    try:
        return tomlkit.value(text.strip())
    except (TOMLKitError, ValueError):
        return tomlkit.value(toml_string(text))


def _set(holder: Any, key: str | int, item: Any, comment: str) -> None:
    """A comment behind the old value stays behind the new one, or makes way for another."""
    if isinstance(holder, AoT) and not isinstance(item, dict):
        raise RltuiError(f"[[…]] {key} is a table, and cannot be {item.as_string()}", exit_code=2)
    old: Any = holder[key] if isinstance(key, int) or key in holder else None
    if hasattr(old, "trivia") and hasattr(item, "trivia"):
        item.trivia.comment_ws, item.trivia.comment = old.trivia.comment_ws, old.trivia.comment
        if comment and old.trivia.comment:
            item.trivia.comment = f"# {comment}"
    put(holder, key, item)


def put(holder: Any, key: str | int, item: Any) -> None:
    """Set a key of a tomlkit table. A new one goes behind the last: the comments at a table's end mostly explain what follows."""
    container = holder.value if isinstance(holder, Table) else holder
    place = None
    if isinstance(container, Container) and key not in holder and not isinstance(item, Table | AoT):
        place = _behind_last(container)
    if place is None:
        holder[key] = item
    else:
        container._insert_at(place, str(key), item)
        dict.__setitem__(holder, key, item)


def _behind_last(container: Container) -> int | None:
    """The place in its body; None for the end."""
    values = [
        index
        for index, (key, item) in enumerate(container.body)
        if key is not None and not isinstance(item, Table | AoT)
    ]
    place = values[-1] + 1 if values else 0
    is_title = not values and isinstance(container, TOMLDocument)  # with which a text begins
    return None if is_title or place == len(container.body) else place


def add_element(text: str, path: KeyPath, element: str) -> str:
    """The list with one more element at its end, on a line of its own where the others have one. element: TOML text."""
    lines = find_lines(text)
    span = lines.spans.get(path)
    if span is None:
        raise RltuiError(f"{show_key(path)} cannot be added to: {HEADERS}", exit_code=2)
    last = max(
        (own for own in lines.entries if own[:-1] == path and isinstance(own[-1], int)),
        default=None,
        key=_element_index,
    )
    if last is None:
        return f"{text[: span[0]]}[{element}]{text[span[1] :]}"
    start, end = lines.entries[last]
    begin = _line_start(text, start)
    if text[begin:start].strip():
        return f"{text[:end]}, {element}{text[end:]}"
    rest = re.match(r"[ \t]*,?[^\n]*", text[end:])
    stop = end + (rest.end() if rest else 0)
    comma = "" if re.match(r"[ \t]*,", text[end:]) else ","
    ends = "\r" if text[stop - 1 : stop] == "\r" else ""
    stop -= len(ends)
    return f"{text[:end]}{comma}{text[end:stop]}{ends}\n{text[begin:start]}{element},{text[stop:]}"


def remove_entry(text: str, path: KeyPath) -> str:
    """Without an element of a list, or a key of an inline table. RltuiError for what is neither."""
    lines = find_lines(text)
    if path not in lines.entries:
        raise RltuiError(f"{show_key(path)} cannot be taken out: {HEADERS}", exit_code=2)
    start, end = lines.entries[path]
    begin = _line_start(text, start)
    after = re.match(r"[ \t]*,?[ \t]*(#[^\n]*)?\r?\n", text[end:])
    if after and not text[begin:start].strip():
        return text[:begin] + text[end + after.end() :]
    beside = sorted(span for own, span in lines.entries.items() if own[:-1] == path[:-1])
    place = beside.index((start, end))
    if place + 1 < len(beside):
        return text[:start] + text[beside[place + 1][0] :]
    if place:
        return text[: _value_end(text, beside[place - 1])] + text[_value_end(text, (start, end)) :]
    return text[:start] + text[end:].lstrip(" ")


def _value_end(text: str, span: tuple[int, int]) -> int:
    """Without the blanks that a bare value takes along."""
    return span[0] + len(text[span[0] : span[1]].rstrip())


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _element_index(path: KeyPath) -> int:
    return int(path[-1])


@dataclass(frozen=True)
class ParsedText:
    """data: tomllib's values, empty where the text is no TOML; problem says why it is none."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    lines: TomlLines = field(default_factory=TomlLines)
    problem: str = ""

    def raw(self, path: KeyPath) -> str | None:
        """The value's own text, of a table with a header "{…}"; None where the key is not written."""
        span = self.lines.spans.get(path)
        if span is not None:
            return self.text[span[0] : span[1]]
        return None if self.value(path) is None else "{…}"

    def value(self, path: KeyPath) -> Any:
        """What tomllib makes of it; None where there is none."""
        here: Any = self.data
        for part in path:
            if isinstance(here, Mapping) and part in here:
                here = here[str(part)]
            elif isinstance(here, list) and isinstance(part, int) and part < len(here):
                here = here[part]
            else:
                return None
        return here


def parse_text(text: str) -> ParsedText:
    """Read a text; line ends may be of either kind."""
    try:
        safe_io.check_text(text)
    except ValueError as error:
        return ParsedText(text, {}, problem=str(error))
    lines = find_lines(text)
    try:
        data = toml_values(text.replace("\r\n", "\n"))
    except ValueError as error:
        return ParsedText(text, {}, lines, str(error))
    return ParsedText(text, data, lines)


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
    def written(self) -> ParsedText:
        return parse_text(self.text)

    @cached_property
    def _before(self) -> ParsedText:
        return parse_text(self.base)

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

    def rename(self, path: KeyPath, name: str) -> Draft:
        """The key called otherwise, wherever it is written; value, comment and place stay. RltuiError where that cannot be."""
        if name != path[-1] and (not name or self.written.value((*path[:-1], name)) is not None):
            raise RltuiError(f"{show_key((*path[:-1], name))} is there already" if name else "a key needs a name")
        text = self.text
        for start, end in sorted(self.written.lines.names.get(path, ()), reverse=True):
            text = f"{text[:start]}{toml_key(name)}{text[end:]}"
        return Draft(text)

    def remove(self, path: KeyPath) -> Draft:
        """Without an element of a list."""
        return Draft(remove_entry(self.text, path))

    def _changed(self, path: KeyPath, change: tuple[KeyPath, str | None] | None) -> Draft:
        others = tuple(old for old in self.changes if old[0][: len(path)] != path)
        draft = Draft(self.base, (*others, change) if change is not None else others)
        if draft.written.problem and not self.written.problem:
            raise RltuiError(f"{show_key(path)} cannot be set so: {draft.written.problem}", exit_code=2)
        return draft

    def _is_inline(self, path: KeyPath) -> bool:
        """In an inline table, or an element of a list: there tomlkit leaves blanks and commas behind."""
        holder = self.written.raw(path[:-1]) if len(path) > 1 else None
        return holder is not None and holder[:1] in "{[" and holder != "{…}"
