"""Canvas: a grid of characters with a style each, and how it becomes lines of text, with colours or without."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby

Run = tuple[str, str]  # text, style
STYLES: Mapping[str, str] = {  # style → colours of the terminal (SGR)
    "blue": "1;38;5;39",
    "orange": "1;38;5;208",
    "ball": "1;97",
    "trail": "38;5;245",
    "pad": "38;5;228",
    "line": "38;5;240",
    "dim": "38;5;245",
    "goal": "1;7",
}
NARROW = {"N", "Na", "H", "A"}  # east_asian_width of what takes one column


class Canvas:
    """width × height cells, empty at first. What lies outside is not drawn."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._chars = [[" "] * self.width for _ in range(self.height)]
        self._styles = [[""] * self.width for _ in range(self.height)]

    def copy(self) -> Canvas:
        """Cells of its own."""
        other = Canvas(0, 0)
        other.width, other.height = self.width, self.height
        other._chars, other._styles = [row[:] for row in self._chars], [row[:] for row in self._styles]
        return other

    def put(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write from there to the right; each character takes one column."""
        if not 0 <= row < self.height:
            return
        chars, styles = self._chars[row], self._styles[row]
        for at, char in enumerate(text, column):
            if 0 <= at < self.width:
                chars[at], styles[at] = char, style

    def is_empty(self, row: int, column: int) -> bool:
        inside = 0 <= row < self.height and 0 <= column < self.width
        return inside and self._chars[row][column] == " "

    def runs(self) -> list[list[Run]]:
        """Each line as runs of one style; their texts are `width` characters together."""
        return [_runs(chars, styles) for chars, styles in zip(self._chars, self._styles, strict=True)]

    def lines(self, colour: bool) -> list[str]:
        """`height` lines of `width` columns; colour: with escape sequences, each line ending plain."""
        return [
            "".join(
                f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and style and text.strip() else text
                for text, style in line
            )
            for line in self.runs()
        ]


def _runs(chars: Sequence[str], styles: Sequence[str]) -> list[Run]:
    found, at = list[Run](), 0
    for style, alike in groupby(styles):
        end = at + len(list(alike))
        found.append(("".join(chars[at:end]), style))
        at = end
    return found


def one_column_each(text: str, ascii_only: bool) -> str:
    """The text with a question mark for each character that does not take exactly one column, or is not ASCII."""
    return "".join(
        char if char.isprintable() and _is_narrow(char) and (char.isascii() or not ascii_only) else "?" for char in text
    )


def _is_narrow(char: str) -> bool:
    return unicodedata.east_asian_width(char) in NARROW and not unicodedata.combining(char)
