"""Where `/` has nothing to filter: a line that says so, and takes what is typed behind it, which would act as keys."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from rltui.tui.text import Line
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.line_widget import LineWidget

HERE = "no filter here (esc)"
IN_PANE = "no filter in this pane (esc)"


class NoFilterText(LineWidget):
    """The words, in front of the line."""

    def __init__(self, words: str) -> None:
        super().__init__(name="no-filter-said")
        self._words = words

    def on_mount(self) -> None:
        self.styles.width = len(self._words) + 4

    def paint(self, width: int, height: int) -> list[Line]:
        return [((f" {self._words}  ", "warn"), ("/", "key"))]


class NoFilterScreen(Dialog[None]):
    """Closed by enter or esc, or a click elsewhere; nothing becomes of what is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, words: str = HERE) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        with Horizontal(id="no-filter"):
            yield NoFilterText(self._words)
            yield Input(id="no-filter-line", compact=True)

    @on(Input.Submitted)
    def close(self) -> None:
        """As esc does."""
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()
