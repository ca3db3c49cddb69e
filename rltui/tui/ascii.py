"""Filters on every drawn line: ASCII where the terminal needs it, no control characters; how charts are drawn."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from rltui.supervise.terminal import in_browser

ChartStyle = Literal["braille", "blocks", "ascii"]
# One column each, so that a translated line keeps its width.
_STAND_INS = {
    "–": "-", "—": "-", "…": "~", "·": "|", "µ": "u", "×": "x", "±": "~", "→": ">", "←": "<", "↑": "^", "↓": "v",
    "“": '"', "”": '"', "‘": "'", "’": "'", "−": "-", "≈": "=", "≡": "=", "≥": ">", "≤": "<",
    "●": "*", "○": "o", "◆": "@", "◌": "~", "‖": "=", "■": "#", "✗": "X", "✓": "+", "▲": "^", "▼": "v", "◼": "#",
    "★": "*", "▸": ">", "▾": "v", "▶": ">", "↻": "%", "•": "*", "▕": "[", "▏": "|",
    "━": "=", "╸": "-", "╺": "-", "┤": "|", "├": "|", "┊": ":", "╎": "!", "┆": ":", "╌": "-", "┄": "-", "┈": ".", "╍": "o",
    "│": "|", "─": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┼": "+",
    "┴": "+", "┬": "+", "┏": "#", "┓": "#", "┗": "#", "┛": "#", "┃": "#", "║": "|", "═": "=", "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": "|",
    "▎": "|", "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "░": ".", "▒": ":", "▓": "#",
    **dict(zip("¹²³⁴⁵⁶⁷⁸⁹", "123456789", strict=True)),
    "°": "'", "▔": "-", "▐": "|", "▀": "'", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
_TABLE = str.maketrans(_STAND_INS)
# What would move the terminal's cursor, change its state or turn the direction of writing: all without a width.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_NO_CHARACTER = re.compile("[\ud800-\udfff]")  # half of one, as odd file names have it: it cannot be written out


def needs_ascii(environ: Mapping[str, str]) -> bool:
    """True where the terminal is known not to draw UTF-8: TERM=dumb or linux, or a locale of another encoding. A browser does.

    No locale at all says nothing (containers, Windows): UTF-8 is assumed. Python itself sets LC_CTYPE=C.UTF-8 where LANG
    is C, so that pair is read as the C locale it was.
    """
    if in_browser(environ):
        return False
    if environ.get("TERM", "") in ("dumb", "linux"):
        return True
    lang = environ.get("LANG", "")
    ctype = environ.get("LC_CTYPE", "")
    if lang in ("C", "POSIX") and ctype == "C.UTF-8":
        ctype = ""
    locale = environ.get("LC_ALL", "") or ctype or lang
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """The text in ASCII at the same width; a character without a stand-in becomes question marks."""
    if text.isascii():
        return text
    out = text.translate(_TABLE)
    return out if out.isascii() else "".join(char if char.isascii() else "?" * cell_len(char) for char in out)


def without_controls(text: str) -> str:
    """The text at the same width without what a terminal obeys instead of showing."""
    return _NO_CHARACTER.sub("?", _CONTROL.sub("", text))


class ControlCharacterFilter(LineFilter):
    """On every line that any widget renders: names, notes and log lines come from files that anybody may have written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(without_controls(text) if control is None else text, style, control)
            for text, style, control in segments
        ]


class AsciiFilter(LineFilter):
    """Translates every line that any widget renders, borders and scroll bars included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(to_ascii(text), style, control) for text, style, control in segments]


def chart_style(environ: Mapping[str, str], ascii_only: bool, windows: bool = os.name == "nt") -> ChartStyle:
    """Braille, but blocks in Windows' old console, whose fonts have no Braille; Windows Terminal sets WT_SESSION."""
    if ascii_only:
        return "ascii"
    return "blocks" if windows and "WT_SESSION" not in environ else "braille"
