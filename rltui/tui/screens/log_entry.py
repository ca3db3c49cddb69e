"""One entry of the log, whole: when, who, which flag, and every line of it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from rltui import formatting
from rltui.tui.log.entries import LogEntry
from rltui.tui.paint import Line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.scrolled import Scrolled

_ROLES = {"error": "bad", "warning": "warn"}


class LogEntryText(Scrolled):
    """The message with its line breaks; a trace's first line stands out."""

    def __init__(self, entry: LogEntry) -> None:
        super().__init__(name="log-entry-text")
        self._entry = entry

    def paint(self, width: int, height: int) -> list[Line]:
        entry = self._entry
        first, _, rest = entry.message.partition("\n")
        lines = [*wrap(first, width, _ROLES.get(entry.level, "")), *(wrap(rest, width) if rest else [])]
        return self.window([*wrap(_about(entry), width, "muted"), (), *lines], height)


class LogEntryScreen(Dialog[None]):
    """Any of esc, q and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
    ]

    def __init__(self, entry: LogEntry) -> None:
        super().__init__()
        self._entry = entry

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as box:
            box.border_title = self._entry.source or "Trainer's output"
            box.border_subtitle = "esc closes · ↑ ↓ scroll"
            yield LogEntryText(self._entry)


def _about(entry: LogEntry) -> str:
    when = f"{formatting.date(entry.time)}:{formatting.clock(entry.time)[-2:]}" if entry.time else "no time"
    parts = [when, entry.level, "" if entry.worker is None else f"worker {entry.worker}", entry.flag]
    return " · ".join(part for part in parts if part)
