"""Which characters the terminal can show, and the ASCII stand-in of every other one that the screens use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from rltui.tui.encoding import needs_ascii as needs_ascii

ChartStyle = Literal["braille", "blocks", "ascii"]

# One column each, so that a translated line keeps its width.
_STAND_INS = {
    "–": "-", "—": "-", "…": "~", "·": "|", "µ": "u", "×": "x", "±": "~", "→": ">", "←": "<", "↑": "^", "↓": "v",
    "“": '"', "”": '"', "‘": "'", "’": "'", "−": "-", "≡": "=", "≥": ">", "≤": "<",
    "●": "*", "○": "o", "◆": "@", "◌": "~", "‖": "=", "■": "#", "✗": "X", "✓": "+", "▲": "^", "▼": "v", "◼": "#",
    "▸": ">", "▾": "v", "▶": ">", "↻": "%", "•": "*", "▕": "[", "▏": "|",
    "━": "=", "╸": "-", "╺": "-", "┤": "|", "├": "|", "┊": ":", "┆": ":", "╌": "-", "┄": "-", "┈": ".", "╍": "o",
    "│": "|", "─": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┼": "+",
    "┴": "+", "┬": "+", "┃": "|", "║": "|", "═": "=", "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": "|",
    "▎": "|", "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "░": ".", "▒": ":", "▓": "#",
    "°": "'", "▔": "-", "▐": "|", "▀": "'", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
_TABLE = str.maketrans(_STAND_INS)


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """The text in ASCII at the same width; a character without a stand-in becomes question marks."""
    if text.isascii():
        return text
    out = text.translate(_TABLE)
    return out if out.isascii() else "".join(char if char.isascii() else "?" * cell_len(char) for char in out)


class AsciiFilter(LineFilter):
    """Translates every line that any widget renders, borders and scroll bars included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(to_ascii(text), style, control) for text, style, control in segments]


def chart_style(environ: Mapping[str, str], ascii_only: bool, windows: bool = os.name == "nt") -> ChartStyle:
    """Braille, but blocks in Windows' old console, whose fonts have no Braille; Windows Terminal sets WT_SESSION."""
    if ascii_only:
        return "ascii"
    return "blocks" if windows and "WT_SESSION" not in environ else "braille"
