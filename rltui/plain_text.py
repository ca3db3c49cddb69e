"""Printing what others may have named, on a terminal that may know nothing but ASCII.

What would act on the terminal is shown, not obeyed: `\\x1b`, `\\u202e`. Where there is nothing but ASCII, `×` becomes `x`.
"""

from __future__ import annotations

import re
import sys
from typing import TextIO

# Control characters but for tab and newline, marks and overrides of the writing direction, other line ends, halves of pairs.
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
ASCII = str.maketrans(
    {"×": "x", "→": "->", "–": "-", "—": "-", "−": "-", "…": "...", "·": "*", "½": "1/2", "γ": "gamma", "λ": "lambda",
     "°": " deg", "≤": "<=", "≥": ">=", "Δ": "d", "²": "^2", "“": '"', "”": '"', "‘": "'", "’": "'"}
)  # fmt: skip


def say(text: str, stream: TextIO | None = None) -> None:
    """Write text and a newline; characters that the stream does not have are written in ASCII."""
    out = stream or sys.stdout
    out.write(writable(text, out.encoding or "ascii") + "\n")


def writable(text: str, encoding: str) -> str:
    """The text itself if it can be encoded, else with its common signs in ASCII and the rest as `?`.

    What a file or its name says must not act on the terminal.
    """
    text = escaped(text.replace("\r\n", "\n"))
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text


def escaped(text: str) -> str:
    """The text with what acts on a terminal written out; tabs and newlines stay."""
    return ACTS.sub(lambda found: _written(found[0]), text)


def one_line(name: object) -> str:
    """A name or path as a part of a line: tabs and newlines written out too."""
    return escaped(str(name)).replace("\t", "\\t").replace("\n", "\\n")


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
