"""Printing where the terminal may know nothing but ASCII: `×` becomes `x` there, not `?`."""

from __future__ import annotations

import re
import sys
from typing import TextIO

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
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

    Control characters are left out: what a file says must not act on the terminal.
    """
    text = CONTROL.sub("", text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text
