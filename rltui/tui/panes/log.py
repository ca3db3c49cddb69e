"""The log: what the trainer, its workers and the people who control it said, newest at the bottom."""

from __future__ import annotations

from rltui.events.records import Level
from rltui.tui import figures
from rltui.tui.log_entries import LEVELS, LogEntry
from rltui.tui.paint import Line, clean, pad, text_line, wrap
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.scrolled import Scrolled

SOURCE = 10  # columns
_SIGNS: dict[Level, tuple[str, str]] = {
    "debug": (" ", "faint"), "info": (" ", ""), "warning": ("!", "warn"), "error": ("✗", "bad"),
}  # fmt: skip


class LogPane(Pane, Scrolled):
    """Wrapped lines of the chosen level and above."""

    NUMBER = "9"
    SLOT = "log"
    NAME = "Log"
    SHORT = "Log"
    EMPTY = "Here will be what the trainer, its workers and whoever controls the run have to say."
    HELP = (
        "Newest at the bottom; it follows until you scroll up, and again once you are back at the end. l changes the "
        "level shown. Everything is also in journal.jsonl of the run's folder; what the trainer printed is in trainer.log."
    )
    FOLLOW = True

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.level: Level = "info"
        self._wrapped: dict[LogEntry, list[Line]] = {}
        self._width = 0

    def next_level(self) -> Level:
        """Show the next level of LEVELS and above; returns it."""
        self.level = LEVELS[(LEVELS.index(self.level) + 1) % len(LEVELS)]
        self.following = True
        if self.view is not None:
            self._set_subtitle(self.subtitle(self.view))
        self.repaint()
        return self.level

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.log and not view.snapshot.output

    def depends(self, view: View) -> object:
        log = view.snapshot.log
        return len(log), log[-1] if log else None, view.snapshot.output

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        if width != self._width or len(self._wrapped) > 3 * len(view.snapshot.log) + 100:
            self._wrapped.clear()
            self._width = width
        lowest = LEVELS.index(self.level)
        lines = wrap(view.snapshot.output, width, "muted") if view.snapshot.output else []
        for entry in view.snapshot.log:
            if LEVELS.index(entry.level) >= lowest:
                lines += self._lines_of(entry, width)
        return self.window(lines, height) or [text_line(f"nothing of level {self.level} or above", "muted")]

    def subtitle(self, view: View) -> str:
        return f"[$muted]{self.level} and above · {figures.plural(len(view.snapshot.log), 'line')}[/]"

    def _lines_of(self, entry: LogEntry, width: int) -> list[Line]:
        lines = self._wrapped.get(entry)
        if lines is None:
            lines = self._wrapped[entry] = entry_lines(entry, width)
        return lines


def entry_lines(entry: LogEntry, width: int) -> list[Line]:
    """Time, sign, source, then the message wrapped beside them."""
    sign, role = _SIGNS[entry.level]
    head: Line = (
        (f"{figures.clock(entry.time)} ", "faint"),
        (f"{sign} ", role),
        (pad(clean(entry.source), SOURCE) + " ", "muted"),
    )
    indent = 8 + 1 + 2 + SOURCE + 1
    if width - indent < 20:
        return [(*head[:2], (clean(entry.message.split("\n")[0]), role))]
    rows = wrap(entry.message, width - indent, role)
    return [(*head, *rows[0]), *(((" " * indent, ""), *row) for row in rows[1:])]
