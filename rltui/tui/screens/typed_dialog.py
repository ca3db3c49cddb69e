"""One line to type, judged while it is typed: for what must be meant (a deletion), or needs words (a note, a path)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Input

from rltui.tui.paint import Line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.painted import Painted

VERDICT_ROWS = 2


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of what is typed so far. good: enter takes it."""

    words: str
    good: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """empty: what enter does with nothing typed: None stays in the dialog, "cancel" closes it, "take" takes it."""

    title: str
    lines: tuple[tuple[str, str], ...]  # (text, role)
    judge: Callable[[str], Judgement]
    value: str = ""
    placeholder: str = ""
    subtitle: str = "enter takes it · esc cancels"
    empty: str | None = None


class TypedWords(Painted):
    """Lines that take the room they need. Set `said`, then `again`."""

    def __init__(self, name: str, said: tuple[tuple[str, str], ...] = (), spare: int = 0) -> None:
        """spare: rows kept for longer words to come."""
        super().__init__(name=name)
        self.said, self._spare = said, spare

    def paint(self, width: int, height: int) -> list[Line]:
        return [row for text, role in self.said for row in wrap(text, width, role)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self.paint(width, 100)), self._spare)

    def again(self) -> None:
        """Draw what is said now."""
        self.refresh(layout=True)
        self.repaint()


class TypedDialog(Dialog[str | None]):
    """Dismissed with the text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._asked = asked
        self._verdict = TypedWords("typed-verdict", spare=VERDICT_ROWS)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = self._asked.title
            box.border_subtitle = self._asked.subtitle
            yield TypedWords("typed-words", self._asked.lines)
            yield Input(self._asked.value, id="typed", compact=True, placeholder=self._asked.placeholder)
            yield self._verdict

    def on_mount(self) -> None:
        self._judge(self._asked.value)

    @on(Input.Changed)
    def judge(self, event: Input.Changed) -> None:
        """What enter would do."""
        self._judge(event.value)

    def _judge(self, text: str) -> None:
        judgement = self._asked.judge(text)
        self._verdict.said = ((judgement.words, "good" if judgement.good else "muted"),)
        self._verdict.again()

    @on(Input.Submitted)
    def send(self, event: Input.Submitted) -> None:
        """The text where it is good; nothing typed closes or takes, as asked."""
        if not event.value.strip() and self._asked.empty is not None:
            self.dismiss("" if self._asked.empty == "take" else None)
        elif self._asked.judge(event.value).good:
            self.dismiss(event.value)
