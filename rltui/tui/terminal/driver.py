"""Unix terminal driver: input that is split, doubled or garbled neither ends the program nor is taken for keys.

A slow line, a terminal's own bug or a serial console sends such reports, and capital letters act on the training.
"""

from __future__ import annotations

import os
import re
import select
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message
from textual.messages import InBandWindowResize

assert sys.platform != "win32"  # mypy reads no further there

from rltui.supervise.terminal import apply_settings, read_settings  # noqa: E402 (behind the assert, for mypy)

PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
LONGEST = 1_000_000  # characters of a paste that are kept
LONGEST_ANSWER = 4096  # characters; nothing that long is one
LOOK = 0.1  # seconds; also how soon a lone escape is known to be a key
PATIENCE = 10  # looks without input after which what has begun has ended, even if its end was lost
_COMPLETE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")  # a control sequence with its final byte (ECMA-48, 5.4)
# Complete by the rule above, and yet read further by Textual: the Linux console's function keys, mouse reports of the
# oldest form, reports that it looks for after the keys.
_READ_ON = re.compile(r"\x1b\[(\[|M|<[-\d;]+[mM]|[-\d;]+[mM]|\?\d+;\d\$y)")
# Answers to questions that are never asked here: OSC, DCS, APC (ECMA-48, 5.6) as terminals send them.
_ANSWER = re.compile(r"\x1b(?:\][\dlL]|P[\d>!]|_G)[^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\)")
# What may go on: a control sequence, a mouse report of the oldest form, the Linux console's function keys, an answer.
# Not behind a $, with which rxvt ends keys.
_CUT = re.compile(r"\x1b(?:\[(?:\[|M[\s\S]{0,2}|[0-?]*)|O|[\]P_]|(?:\][\dlL]|P[\d>!]|_G)[^\x07\x1b\x9c]*\x1b?)?\Z")


class KeyParser(XTermParser):
    """Textual's parser without its trust in numbers from outside: its loop, a generator, cannot go on after an exception."""

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


class SequenceBuffer:
    """Buffer that yields whole sequences and pastes, wherever a slow line has cut them.

    Textual takes what it cannot make sense of for keys: half a report, the rest of a paste, or an answer to the program
    before this one ("what is your background colour?").
    """

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


class TerminalDriver(LinuxDriver):
    """Sizes come from the kernel alone; bytes that are no UTF-8 and sequences that mean nothing are passed over."""

    written = 0  # bytes sent to the terminal

    def write(self, data: str) -> None:
        """Counts what the terminal, or the line to it, has to carry."""
        self.written += len(data) if data.isascii() else len(data.encode("utf-8", "replace"))
        super().write(data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Columns and rows, for Textual, which would believe COLUMNS and LINES; some shells export them and forget them.

        Private to Textual, as `_size` is; tests/e2e/test_odd_terminals.py notices where it asks elsewhere.
        """
        try:
            columns, rows = os.get_terminal_size(self.fileno)
        except OSError:
            columns = rows = 0
        return columns or 80, rows or 25

    def start_application_mode(self) -> None:
        self._size = self._get_terminal_size()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual does not annotate it
        self._drawing = read_settings(self.fileno)

    def run_input_thread(self) -> None:
        """Until told to end, or until the terminal is gone, which TerminalWatch deals with."""
        parser, buffer = KeyParser(self._debug), SequenceBuffer()
        decode = getincrementaldecoder("utf-8")(errors="ignore").decode
        quiet = 0
        while not self.exit_event.is_set():
            if not select.select([self.fileno], [], [], LOOK)[0]:
                quiet += 1
                self._take((*parser.tick(), *buffer.pause()))
                if quiet == PATIENCE:
                    self._take(buffer.end())
                continue
            quiet = 0
            data = _read(self.fileno)
            if not data:
                return
            for piece in buffer.feed(decode(data)):
                self._take(parser.feed(piece) if isinstance(piece, str) else (piece,))

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def process_message(self, message: Message) -> None:
        """A size in the input is not believed: garbled, it would make a screen of 99999 columns."""
        if not isinstance(message, events.Resize | InBandWindowResize):
            super().process_message(message)

    def _query_in_band_window_resize(self) -> None:
        """Not wanted: SIGWINCH tells of every resize."""

    def _sigtstp_application(self, *_: object) -> None:
        """Suspending is unbound; stopped, a viewer would look like one that hangs."""

    def _sigcont_application(self, *_: object) -> None:
        """After a stop from outside. Textual would start all its threads a second time."""
        self._loop.call_soon_threadsafe(self._come_back)

    def _come_back(self) -> None:
        """The shell may have had the terminal meanwhile: take it again, draw everything."""
        if self._writer_thread is None:
            return
        apply_settings(self.fileno, self._drawing)
        self.write("\x1b[?1049h\x1b[?25l\x1b[?1004h")
        self._enable_mouse_support()
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self._app.screen.refresh()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
