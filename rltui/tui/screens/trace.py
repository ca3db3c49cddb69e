"""What a worker's failures left behind: reason and whole traceback, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from rltui import formatting
from rltui.tui.log.entries import LogEntry
from rltui.tui.paint import Line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.scrolled import Scrolled


def failures(log: Sequence[LogEntry], worker: int) -> list[LogEntry]:
    """Of one worker, newest first."""
    return [entry for entry in reversed(log) if entry.worker == worker and entry.level == "error"]


class TraceText(Scrolled):
    """The entries one below the other."""

    def __init__(self, entries: Sequence[LogEntry]) -> None:
        super().__init__(name="trace-text")
        self._entries = tuple(entries)

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(list(self._lines(width)), height)

    def _lines(self, width: int) -> Iterator[Line]:
        for index, entry in enumerate(self._entries):
            if index:
                yield ()
            reason, _, trace = entry.message.partition("\n")
            yield ((f"{formatting.date(entry.time)} {formatting.clock(entry.time)}", "muted"),)
            yield from wrap(reason, width, "bad")
            yield from wrap(trace, width) if trace else [(("no traceback: the process was gone", "muted"),)]


class TraceScreen(Dialog[None]):
    """Any of esc, q and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
    ]

    def __init__(self, worker: int, entries: Sequence[LogEntry]) -> None:
        super().__init__()
        self._worker, self._text = worker, TraceText(entries)

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as box:
            box.border_title = f"Worker {self._worker}: what made it fail"
            box.border_subtitle = "esc closes · ↑ ↓ scroll"
            yield self._text
