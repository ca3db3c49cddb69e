"""What stands on a terminal after the bytes that a program has written: enough of one for what Textual writes."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

from rich.cells import cell_len

TOKEN = re.compile(
    r"\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[()][A-Z0-9]"
    r"|\x1b[^\[\]PX^_()]|([^\x1b\x00-\x1f]+)|([\x00-\x1a\x1c-\x1f])"
)
NARROW = re.compile(r"[ -~─-▟]+")  # one cell each


class DrawnScreen:
    """Rows of characters; colours are left out."""

    def __init__(self, columns: int, rows: int) -> None:
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest = ""  # of a sequence whose end has not come
        self._x = self._y = 0
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Empty, as the program will draw everything again."""
        self._columns, self._count = columns, rows
        self._rows = [[" "] * columns for _ in range(rows)]

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self._rows)

    def feed(self, data: bytes) -> None:
        """More of what the program writes."""
        text = self._rest + self._decode(data)
        end = 0
        while end < len(text):
            found = TOKEN.match(text, end)
            if found is None:  # a sequence that is not whole yet, or was cut off by another, as terminals see it
                cut = text.find("\x1b", end + 1) if text.startswith("\x1b[", end) else -1
                if cut < 0:
                    break
                end = cut
                continue
            end = found.end()
            if found[2]:
                self._control(found[1], found[2])
            elif found[3]:
                self._print(found[3])
            elif found[4]:
                self._move(found[4])
        self._rest = text[end:]

    def _print(self, text: str) -> None:
        if NARROW.fullmatch(text):
            room = max(self._columns - self._x, 0) if self._y < self._count else 0
            if shown := text[:room]:
                self._leave_no_half(self._x)
                self._leave_no_half(self._x + len(shown))
                self._rows[self._y][self._x : self._x + len(shown)] = shown
            self._x += len(text)
            return
        for character in text:
            width = cell_len(character)
            if width and self._x + width <= self._columns and self._y < self._count:
                self._leave_no_half(self._x)
                self._leave_no_half(self._x + width)
                self._rows[self._y][self._x : self._x + width] = [character, *[""] * (width - 1)]
            self._x += width

    def _leave_no_half(self, x: int) -> None:
        """What stands on both sides of where column x begins is gone, once one of them is written over."""
        row = self._rows[self._y]
        if 0 < x < self._columns and row[x] == "":
            row[x - 1 : x + 1] = [" ", " "]

    def _move(self, character: str) -> None:
        match character:
            case "\r":
                self._x = 0
            case "\n":
                self._y = min(self._y + 1, self._count - 1)
            case "\b":
                self._x = max(self._x - 1, 0)

    def _control(self, text: str, letter: str) -> None:
        numbers = [int(number) if number.isdigit() else 0 for number in text.split(";")]
        match letter:
            case "H" | "f":
                self._y, self._x = max(numbers[0], 1) - 1, max([*numbers, 1][1], 1) - 1
            case "J" if text in ("2", "3"):
                self._rows = [[" "] * self._columns for _ in range(self._count)]
            case "K" if self._y < self._count:
                self._rows[self._y][self._x :] = [" "] * (self._columns - self._x)
            case "h" if text == "?1049":
                self._rows = [[" "] * self._columns for _ in range(self._count)]
