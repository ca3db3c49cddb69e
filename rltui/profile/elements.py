"""Elements of lists, and keys of inline tables, put in and taken out of a profile's text; all else stays as it is."""

from __future__ import annotations

import re

from rltui.errors import RltuiError
from rltui.profile.lines import find_lines
from rltui.profile.problems import KeyPath, show_key

HEADERS = "it is written with [[…]] headers: change it in the TOML view"


def add_element(text: str, path: KeyPath, element: str) -> str:
    """The list with one more element at its end, on a line of its own where the others have one. element: TOML text."""
    lines = find_lines(text)
    span = lines.spans.get(path)
    if span is None:
        raise RltuiError(f"{show_key(path)} cannot be added to: {HEADERS}", exit_code=2)
    last = max(
        (own for own in lines.entries if own[:-1] == path and isinstance(own[-1], int)), default=None, key=_index
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


def _index(path: KeyPath) -> int:
    return int(path[-1])
