"""Pieces: the terminal's bytes as whole pieces, wherever a slow line has cut them.

Textual takes what it cannot make sense of for keys. Half a report, the rest of a paste, or an answer to the program
before this one ("what is your background colour?") would be so many keys, and capitals act on the training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual import events

PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
LONGEST = 1_000_000  # characters of a paste that are kept
LONGEST_ANSWER = 4096  # characters; nothing that long is one
# Answers to questions that are never asked here: OSC, DCS, APC (ECMA-48, 5.6) as terminals send them.
_ANSWER = re.compile(r"\x1b(?:\][\dlL]|P[\d>!]|_G)[^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\)")
# What may go on: a control sequence, a mouse report of the oldest form, the Linux console's function keys, an answer.
# Not behind a $, with which rxvt ends keys.
_CUT = re.compile(r"\x1b(?:\[(?:\[|M[\s\S]{0,2}|[0-?]*)|O|[\]P_]|(?:\][\dlL]|P[\d>!]|_G)[^\x07\x1b\x9c]*\x1b?)?\Z")


class Pieces:
    """Text to be parsed, and pastes; what is not whole is kept for a while."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> Iterator[str | events.Paste]:
        """More of what the terminal sends."""
        text, self._rest = self._rest + text, ""
        while text:
            keys, start, after = text.partition(PASTE)
            if not start:
                yield from self._whole(keys)
                return
            if keys := _CUT.sub("", _ANSWER.sub("", keys)):
                yield keys
            pasted, end, text = after.partition(PASTE_END)
            if not end:
                self._rest = start + pasted[:LONGEST] + pasted[LONGEST:][-len(PASTE_END) :]
                return
            yield _paste(pasted)

    def _whole(self, text: str) -> Iterator[str]:
        """All but what may go on; that is kept."""
        text = _ANSWER.sub("", text)
        cut = _CUT.search(text)
        if cut is not None and len(cut[0]) < LONGEST_ANSWER:
            text, self._rest = text[: cut.start()], cut[0]
        if text:
            yield text

    def pause(self) -> Iterator[events.Key]:
        """Nothing has come for a moment: an escape alone was the key."""
        if self._rest == "\x1b":
            self._rest = ""
            yield events.Key("escape", "\x1b")

    def end(self) -> Iterator[events.Paste]:
        """Nothing has come for long: a paste has ended, even if its end was lost; anything else is lost."""
        rest, self._rest = self._rest, ""
        if rest.startswith(PASTE):
            yield _paste(rest.removeprefix(PASTE))


def _paste(text: str) -> events.Paste:
    return events.Paste(text[:LONGEST].replace("\x00", ""))
