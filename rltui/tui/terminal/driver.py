"""TerminalDriver: Textual's driver for Unix terminals, sturdier where input and signals come from outside."""

from __future__ import annotations

import os
import select
import termios
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.messages import InBandWindowResize

from rltui.tui.terminal.key_parser import KeyParser
from rltui.tui.terminal.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message

LOOK = 0.1  # seconds; also how soon a lone escape is known to be a key
PATIENCE = 10  # looks without input after which what has begun has ended, even if its end was lost


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
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._drawing = termios.tcgetattr(self.fileno)

    def run_input_thread(self) -> None:
        """Until told to end, or until the terminal is gone, which TerminalWatch deals with."""
        parser, pieces = KeyParser(self._debug), Pieces()
        decode = getincrementaldecoder("utf-8")(errors="ignore").decode
        quiet = 0
        while not self.exit_event.is_set():
            if not select.select([self.fileno], [], [], LOOK)[0]:
                quiet += 1
                self._take((*parser.tick(), *pieces.pause()))
                if quiet == PATIENCE:
                    self._take(pieces.end())
                continue
            quiet = 0
            data = _read(self.fileno)
            if not data:
                return
            for piece in pieces.feed(decode(data)):
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
        termios.tcsetattr(self.fileno, termios.TCSANOW, self._drawing)
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
