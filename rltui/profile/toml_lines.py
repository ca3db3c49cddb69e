"""Scanner for the line and span of every key of a TOML text, which tomllib does not tell."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]

BLANK = " \t"
BARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
SPACE = " \t\r\n"


@dataclass(frozen=True)
class Repeat:
    """A key or table written again. span: offsets of the later statement, or of the name in the later header; None
    inside an inline table.
    """

    path: KeyPath
    line: int
    first_line: int
    span: tuple[int, int] | None
    header: bool = False


@dataclass
class TomlLines:
    """1-based lines of keys, array elements and tables; repeats in order; where the scanner lost its way, None if it did not.

    spans: offsets of each value, an array's element included; entries: of a key with its value, of an element alone;
    names: of a key's name wherever it is written, in headers and dotted keys too.
    """

    of: dict[KeyPath, int] = field(default_factory=dict)
    spans: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    entries: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    names: dict[KeyPath, list[tuple[int, int]]] = field(default_factory=dict)
    repeats: list[Repeat] = field(default_factory=list)
    stopped_at: int | None = None  # line

    def nearest(self, path: KeyPath) -> int | None:
        """The line of the key, else of the nearest table around it that is written down."""
        for length in range(len(path), 0, -1):
            line = self.of.get(path[:length])
            if line is not None:
                return line
        return None


def find_lines(text: str) -> TomlLines:
    """Index a whole document; a malformed rest is left out."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except (_LostError, RecursionError):
        scanner.lines.stopped_at = scanner.line()
    return scanner.lines


def key_path(text: str) -> tuple[str, ...] | None:
    """The parts of a dotted key such as `rewards."my.py:Ball".weight`; None when it is no key."""
    scanner = _Scanner(text)
    try:
        scanner.skip(BLANK)
        parts = scanner.key()
    except _LostError:
        return None
    scanner.skip(BLANK)
    return parts if scanner.at == len(text) else None


class _LostError(Exception):
    """The text is not TOML here."""


class _Scanner:
    """Knows just enough TOML to tell keys from values; it judges nothing, for tomllib does that."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines = TomlLines()
        self._counted = (0, 1)  # offset, its line
        self._arrays: dict[KeyPath, int] = {}  # arrays of tables: index of the newest element
        self._values: dict[KeyPath, int] = {}  # keys with a value: line of the first one
        self._headers: dict[KeyPath, int] = {}
        self._name_spans: list[tuple[int, int]] = []  # of the newest key's parts

    def line(self) -> int:
        """Of the present offset; only ever asked forward, so that a long text is counted once."""
        offset, line = self._counted
        if self.at >= offset:
            line += self.text.count("\n", offset, self.at)
            self._counted = (self.at, line)
        return line

    def document(self) -> None:
        table: KeyPath = ()
        while True:
            self.skip(SPACE)
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "#":
                self._comment()
            elif self.text[self.at] == "[":
                table = self._header()
            else:
                self._statement(table, top=True)
                self._end_of_statement()

    def _header(self) -> KeyPath:
        line = self.line()
        array = self.text.startswith("[[", self.at)
        self.at += 2 if array else 1
        self.skip(BLANK)
        start = self.at
        parts = self.key()
        name = (start, self.at)
        for index, span in enumerate(self._name_spans):
            self._name((*self._within_arrays(parts[:index]), parts[index]), span)
        self.skip(BLANK)
        self._expect("]]" if array else "]")
        table = (*self._within_arrays(parts[:-1]), parts[-1])
        if array:
            self._mark(table, line)
            index = self._arrays[table] = self._arrays.get(table, -1) + 1
            table = (*table, index)
        elif table in self._arrays:
            table = (*table, self._arrays[table])
        elif table in self._headers:
            self.lines.repeats.append(Repeat(table, line, self._headers[table], name, header=True))
        if table not in self._headers:
            self._headers[table] = self.lines.of[table] = line
        for length in range(1, len(table)):  # tables that only their children's headers mention
            self._mark(table[:length], line)
        return table

    def _within_arrays(self, parts: tuple[str, ...]) -> KeyPath:
        """A header's path: each array of tables on the way means its newest element."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            if path in self._arrays:
                path = (*path, self._arrays[path])
        return path

    def _statement(self, table: KeyPath, top: bool) -> None:
        start, line = self.at, self.line()
        path = (*table, *self.key())
        for index, span in enumerate(self._name_spans, len(table) + 1):
            self._name(path[:index], span)
        self.skip(BLANK)
        self._expect("=")
        self.skip(BLANK)
        repeated, before = path in self._values, len(self.lines.repeats)
        for length in range(len(table) + 1, len(path) + 1):
            self._mark(path[:length], line)
        first = self._values.setdefault(path, line)
        self._value(path)
        self.lines.entries.setdefault(path, (start, self.at))
        if repeated:
            del self.lines.repeats[before:]  # what it contains is repeated only because it is
            self.lines.repeats.append(Repeat(path, line, first, (start, self.at) if top else None))

    def _end_of_statement(self) -> None:
        self.skip(BLANK)
        if self.at < len(self.text) and self.text[self.at] not in "#\r\n":
            raise _LostError

    def key(self) -> tuple[str, ...]:
        parts, start = [], self.at
        self._name_spans = []
        while True:
            parts.append(self._key_part())
            self._name_spans.append((start, self.at))
            here = self.at
            self.skip(BLANK)
            if not self.text.startswith(".", self.at):
                self.at = here
                return tuple(parts)
            self.at += 1
            self.skip(BLANK)
            start = self.at

    def _key_part(self) -> str:
        start = self.at
        if self.at < len(self.text) and self.text[self.at] in "\"'":
            self._string(self.text[self.at])
            try:
                return str(tomllib.loads("k = " + self.text[start : self.at])["k"])
            except tomllib.TOMLDecodeError as error:
                raise _LostError from error
        while self.at < len(self.text) and self.text[self.at] in BARE:
            self.at += 1
        if self.at == start:
            raise _LostError
        return self.text[start : self.at]

    def _value(self, path: KeyPath) -> None:
        start = self.at
        self._any_value(path)
        end = start + len(self.text[start : self.at].rstrip())  # a bare value takes the blanks before a comment along
        self.lines.spans.setdefault(path, (start, end))

    def _any_value(self, path: KeyPath) -> None:
        character = self.text[self.at : self.at + 1]
        if character in ("'", '"'):
            triple = character * 3
            self._string(triple if self.text.startswith(triple, self.at) else character)
        elif character == "[":
            self._array(path)
        elif character == "{":
            self._inline_table(path)
        else:
            self._bare_value()

    def _bare_value(self) -> None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",]}#\r\n":
            self.at += 1
        if not self.text[start : self.at].strip():
            raise _LostError

    def _string(self, quote: str) -> None:
        self.at += len(quote)
        while self.at < len(self.text):
            if self.text[self.at] == "\\" and quote[0] == '"':
                self.at += 2
            elif self.text.startswith(quote, self.at):
                self.at += len(quote)
                if len(quote) == 3:  # up to two more quotes still belong to the string
                    while self.text.startswith(quote[0], self.at):
                        self.at += 1
                return
            elif len(quote) == 1 and self.text[self.at] == "\n":
                raise _LostError
            else:
                self.at += 1
        raise _LostError

    def _array(self, path: KeyPath) -> None:
        self.at += 1
        index = 0
        while True:
            self._space_and_comments()
            if self.text.startswith("]", self.at):
                self.at += 1
                return
            self._mark((*path, index), self.line())
            self._value((*path, index))
            self.lines.entries.setdefault((*path, index), self.lines.spans[(*path, index)])
            index += 1
            self._space_and_comments()
            if not self.text.startswith("]", self.at):
                self._expect(",")

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while True:
            self._space_and_comments()
            if self.text.startswith("}", self.at):
                self.at += 1
                return
            self._statement(path, top=False)
            self._space_and_comments()
            if not self.text.startswith("}", self.at):
                self._expect(",")

    def _space_and_comments(self) -> None:
        while True:
            self.skip(SPACE)
            if not self.text.startswith("#", self.at):
                return
            self._comment()

    def _comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _name(self, path: KeyPath, span: tuple[int, int]) -> None:
        self.lines.names.setdefault(path, []).append(span)

    def _mark(self, path: KeyPath, line: int) -> None:
        self.lines.of.setdefault(path, line)

    def skip(self, characters: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def _expect(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise _LostError
        self.at += len(token)
