"""A profile's text and raw values, and what is wrong with them: Problem, ProfileError."""

from __future__ import annotations

import math
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.toml_lines import KeyPath, Repeat, TomlLines, find_lines

LONG = 70  # characters
MAX_BYTES = 250_000
REPEATED = "__repeated__"
EMPTY = "the file is empty"
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def table(data: Any, key: str) -> Mapping[str, Any]:
    """The table under a key; an empty one where there is something else."""
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def tables(data: Any, key: str) -> Sequence[Mapping[str, Any]]:
    """The tables of a list under a key; empty unless all its elements are tables."""
    value = data.get(key) if isinstance(data, Mapping) else None
    sound = isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value)
    return value if sound else ()  # type: ignore[return-value]  # it has been looked at


def number(data: Mapping[str, Any], key: str, default: float | None) -> float | None:
    """The number written, the default where none is, None where something else is."""
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True)
class Problem:
    """One mistake. file: as the user named it, or "--set"; line: 1-based, None where there is none."""

    file: str
    line: int | None
    key: str
    message: str
    expected: str = ""
    found: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        text = f"{place}: " + (f"{self.key}: " if self.key else "") + self.message
        parts = []
        if self.expected and not (self.hint and len(self.expected) > LONG):  # a long list says less than the hint
            parts.append(f"expected {self.expected}")
        if self.found and not self.key.rstrip('"').endswith(self.found):
            parts.append(f"found {self.found}")
        if self.hint.startswith("did you mean"):  # what helps most comes first
            return "; ".join([text, " ".join([self.hint, ", ".join(parts)]).strip()])
        text = ", ".join([text, *parts])
        return f"{text}; {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, Any]:
        """For `profile check --json`."""
        return asdict(self)


class ProfileError(RltuiError):
    """A profile, or an override of one, that cannot be used. `problems` has at least one entry; exit code 2."""

    def __init__(self, profile: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        if count == 1:
            message = str(self.problems[0])
        else:
            message = f"{profile}: {count} errors\n" + "\n".join(f"  {problem}" for problem in self.problems)
        about_keys = any(problem.key for problem in self.problems)
        super().__init__(message, "rltui profile schema lists every key" if about_keys else "", exit_code=2)


def show_key(path: KeyPath) -> str:
    """`resets[0].weight`, `rewards."my.py:Ball"`: as a person would write it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        plain = re.fullmatch(r"[A-Za-z0-9_-]+", part)
        text += ("." if text else "") + (part if plain else '"' + part.replace('"', '\\"') + '"')
    return text


@dataclass
class ProfileSource:
    """A profile as written: its text, its raw values, where its keys stand, what is wrong so far."""

    file: str  # as shown in messages
    text: str
    data: dict[str, Any] | None = None  # None: it is not TOML
    lines: TomlLines = field(default_factory=TomlLines)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, line: int | None, key: str, message: str, **details: str) -> None:
        self.problems.append(Problem(self.file, line, key, message, **details))


def read_source(path: Path, shown: str) -> ProfileSource:
    """Read and parse. A file that cannot be read at all raises ProfileError; the rest is in `problems`."""
    return source_of(_read_bytes(path, shown), shown)


def source_of(raw: bytes, shown: str) -> ProfileSource:
    """Parse a file's bytes; what is wrong with them is in `problems`."""
    source = ProfileSource(shown, "")
    if raw.startswith(b"\xef\xbb\xbf"):
        source.problem(1, "", "starts with a byte order mark", expected="UTF-8 without one", found="EF BB BF")
        raw = raw[3:]
    source.text = _decode(raw, source)
    parse(source)
    return source


def parse(source: ProfileSource) -> None:
    """Fill data and lines from the text. Keys written twice are reported, and the first of each counts."""
    text = source.text = source.text.replace("\r\n", "\n")
    if not re.sub(r"(?m)#.*$", "", text).strip():
        source.problem(1, "", EMPTY, expected="a profile", hint="rltui profile new writes one")
        return
    try:
        safe_io.check_text(text)
    except ValueError as error:
        source.problem(1, "", str(error))
        return
    source.lines = find_lines(text)
    for repeat in source.lines.repeats:
        source.problem(
            repeat.line, show_key(repeat.path), f"written twice, first on line {repeat.first_line}", expected="it once"
        )
    _load(source, _without(text, source.lines.repeats))


def _load(source: ProfileSource, text: str) -> None:
    try:
        data = tomllib.loads(text)
    except RecursionError:
        source.problem(source.lines.stopped_at, "", "brackets are nested too deeply")
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        if all(repeat.span for repeat in source.lines.repeats):  # else it is the repeat, which has been reported
            line, message = _syntax_error(text, error)
            source.problem(line, "", message, found=source.text.split("\n")[line - 1].strip()[:60])
    else:
        source.data = {key: value for key, value in data.items() if not key.startswith(REPEATED)}


def _syntax_error(text: str, error: ValueError) -> tuple[int, str]:
    """The line and what tomllib has against it."""
    message = str(error)
    if not isinstance(error, tomllib.TOMLDecodeError):
        digits = re.search(r"[0-9_]{4300}", text)
        return text.count("\n", 0, digits.start() if digits else 0) + 1, "a number of thousands of digits"
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place is not None:
        return int(place[1]), f"not TOML: {message[: place.start()]} at column {place[2]}"
    last = text.rstrip().count("\n") + 1
    return last, "not TOML: " + message.removesuffix(" (at end of document)").partition(";")[0]


def _without(text: str, repeats: list[Repeat]) -> str:
    """Blank out repeated statements, rename repeated tables, so that the rest can still be read and judged."""
    for number, repeat in reversed(list(enumerate(repeats))):
        if repeat.span is not None:
            start, end = repeat.span
            blank = f"{REPEATED}{number}" if repeat.header else re.sub(r"[^\n]", " ", text[start:end])
            text = text[:start] + blank + text[end:]
    return text


def _decode(raw: bytes, source: ProfileSource) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        encoding = BOMS.get(raw[:2], "")
        line = raw.count(b"\n", 0, error.start) + 1
        text = f"byte {raw[error.start]:#04x}" + (f" ({encoding})" if encoding else "")
        source.problem(
            line, "", "not UTF-8", expected="text in UTF-8", found=text, hint="save it as UTF-8 in your editor"
        )
        return raw.decode("utf-16" if encoding else "utf-8", "replace")


def _read_bytes(path: Path, shown: str) -> bytes:
    """The file's bytes. Raises ProfileError for what is no readable file of a sensible size."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise _unreadable(shown, "is a folder", "the path of a profile file")
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for, for ever
            raise _unreadable(shown, "is not a regular file", "the path of a profile file")
        if status.st_size > MAX_BYTES:
            raise _unreadable(shown, "is too large", f"at most {MAX_BYTES:,} bytes", f"{status.st_size:,} bytes")
        with safe_io.open_to_read(path) as file:
            return file.read(MAX_BYTES)
    except OSError as error:
        reason = error.strerror or str(error)
        raise _unreadable(shown, f"cannot be read: {reason}", "a readable file") from error
    except ValueError as error:  # a NUL in the path
        raise _unreadable(shown, f"cannot be read: {error}", "a readable file") from error


def _unreadable(shown: str, message: str, expected: str, found: str = "") -> ProfileError:
    return ProfileError(shown, [Problem(shown, None, "", message, expected=expected, found=found)])
