"""KeyParser: Textual's parser of what terminals send, made proof against what they should never send.

A split, doubled or garbled report (a slow line, a terminal's own bug, a serial console) must not end the program, and
must not be taken for keys either: capital letters act on the training.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

_COMPLETE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")  # a control sequence with its final byte (ECMA-48, 5.4)
# Complete by the rule above, and yet read further by Textual: the Linux console's function keys, mouse reports of the
# oldest form, reports that it looks for after the keys.
_READ_ON = re.compile(r"\x1b\[(\[|M|<[-\d;]+[mM]|[-\d;]+[mM]|\?\d+;\d\$y)")


class KeyParser(XTermParser):
    """Overrides the two places in which numbers from outside are trusted; the parser's loop itself cannot go on after an
    exception, for it is a generator."""

    def parse_mouse_code(self, code: str) -> Message | None:
        """Always in cells: pixels would need the size from the terminal's own report, which may say 0."""
        self.mouse_pixels = False
        return super().parse_mouse_code(code)

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):  # a code point that is none, a number with two colons
            return [_ignored(sequence)]
        if not keys and _COMPLETE.fullmatch(sequence) and not _READ_ON.fullmatch(sequence):
            return [_ignored(sequence)]
        return [key if _can_be_written(key) else _ignored(sequence) for key in keys]


def _ignored(sequence: str) -> events.Key:
    """Textual's own way to swallow a sequence."""
    return events.Key(Keys.Ignore, sequence)


def _can_be_written(key: events.Key) -> bool:
    """Half a surrogate pair would end the thread that writes to the terminal."""
    return not any("\ud800" <= character <= "\udfff" for character in key.character or "")
